# played-step.sh STEP FOLDER: a step that ends as FOLDER says, for tests of the operator.
#   FOLDER/STEP.hold    a fifo: wait until it is closed
#   FOLDER/STEP.INDEX   exit code and, on a second line, the termination message
#   FOLDER/runs         a line is added: STEP ATTEMPT INDEX SAMPLES (- for a step of the whole task)
trap 'exit 143' TERM
if [ -p "$2/$1.hold" ]; then { read -r line; } < "$2/$1.hold"; fi
code=0
message='{"outcome":"done"}'
if [ -e "$2/$1.$JOB_COMPLETION_INDEX" ]; then { read -r code; read -r message; } < "$2/$1.$JOB_COMPLETION_INDEX"; fi
echo "$1 $SEQPANEL_ATTEMPT $JOB_COMPLETION_INDEX ${SEQPANEL_SAMPLES:--}" >> "$2/runs"
printf %s "$message" > "$SEQPANEL_TERMINATION_LOG"
exit "$code"
