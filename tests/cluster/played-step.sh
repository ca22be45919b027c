# played-step.sh STEP FOLDER: a step that ends as FOLDER says, for tests of the operator.
#   FOLDER/STEP.hold, FOLDER/STEP.INDEX.hold    a fifo: wait until it is closed
#   FOLDER/STEP.INDEX   exit code and, on a second line, the termination message
#   FOLDER/runs         a line is added: STEP ATTEMPT INDEX SAMPLES (- for a step of the whole task)
trap 'exit 143' TERM
for gate in "$2/$1.hold" "$2/$1.$JOB_COMPLETION_INDEX.hold"; do
  if [ -p "$gate" ]; then { read -r line; } < "$gate"; fi
done
code=0
message='{"outcome":"done"}'
if [ -e "$2/$1.$JOB_COMPLETION_INDEX" ]; then { read -r code; read -r message; } < "$2/$1.$JOB_COMPLETION_INDEX"; fi
echo "$1 $SEQPANEL_ATTEMPT $JOB_COMPLETION_INDEX ${SEQPANEL_SAMPLES:--}" >> "$2/runs"
printf %s "$message" > "$SEQPANEL_TERMINATION_LOG"
exit "$code"
