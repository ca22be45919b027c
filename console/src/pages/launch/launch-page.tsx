import { Alert, Badge, Button, Flex, FlexItem, PageSection } from '@patternfly/react-core';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useNavigate, useParams, useSearchParams } from 'react-router-dom';
import { problemText } from '../../api/problem-text.ts';
import { ErrorAlert } from '../../components/error-state.tsx';
import { LeavePrompt } from '../../components/leave-prompt.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useGroup } from '../../hooks/use-group.ts';
import { usePanels } from '../../queries/launch.ts';
import { useProjectFiles } from '../../queries/projects.ts';
import { useRerunCheck } from '../../queries/tasks.ts';
import { DefinitionStep } from './definition-step.tsx';
import { isEmptyDraft, STEPS, type Step } from './draft.ts';
import { fromRequest } from './draft-request.ts';
import { PreviewStep } from './preview-step.tsx';
import { SelectFilesStep } from './select-files-step.tsx';
import { StartFromStep } from './start-from-step.tsx';
import { StartStep } from './start-step.tsx';
import { draftProblems, isStepOpen, stepOf } from './step-problems.ts';
import type { StepProps } from './step-props.ts';
import { useDraft } from './use-draft.ts';
import { REACHED, useStepFocus } from './use-step-focus.ts';
import './launch.css';
import { randomId } from '../../random-id.ts';

const BASE = '/secondary-analysis/launch';

/** /secondary-analysis/launch/{step}: the wizard from files to a running task. */
export function LaunchPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { step: asked } = useParams();
  const group = useGroup();
  const { draft, setDraft, clear } = useDraft(group.id);
  const [isSent, setSent] = useState(false);
  const [showProblems, setShowProblems] = useState(false);
  const [refused, setRefused] = useState(0);
  const { heading, summary } = useStepFocus(refused);
  const earlier = useEarlierDefinition(group.id, setDraft);
  const panels = usePanels(group.id);
  const files = useProjectFiles(group.id, draft.project);
  const names = draft.project && files.data ? new Set(files.data.results.map((file) => file.name)) : undefined;
  const problems = draftProblems(draft, panels.data?.results, names);
  const step = STEPS.find((candidate) => candidate === asked);
  const to = (target: Step) => `${BASE}/${target}${group.param}`;
  const onSent = useCallback(() => {
    setSent(true);
    // A draft is sent once: the next visit starts with an empty draft and a new key.
    clear();
  }, [clear]);

  if (!step) return <Navigate to={to('start-from')} replace />;
  const isReachable =
    step === 'start' ? !isEmptyDraft(draft) : isStepOpen(step, draft, step === 'preview' ? problems : []);
  if (!isSent && !earlier.isPending && !isReachable) return <Navigate to={to('start-from')} replace />;
  const place = STEPS.indexOf(step);
  const ownProblems = problems.filter((problem) => stepOf(problem) === step);
  const next = STEPS[place + 1];
  const goOn = () => {
    if (next && isStepOpen(next, draft, problems)) {
      setShowProblems(false);
      void navigate(to(next), { state: REACHED });
    } else {
      setShowProblems(true);
      setRefused((times) => times + 1);
    }
  };
  const props: StepProps = { group: group.id, groupParam: group.param, draft, setDraft, problems };
  return (
    <>
      <PageHeader title={t('launch.title')} purpose={t('launch.purpose')} isDirty={!isSent && !isEmptyDraft(draft)} />
      <PageSection hasBodyWrapper={false} isFilled className="sp-launch">
        <ol className="sp-steps">
          {STEPS.map((name, index) => {
            const count = problems.filter((problem) => stepOf(problem) === name).length;
            const text = `${index + 1} ${t(`launch.step.${name}`)}`;
            const open = !isSent && index <= place;
            return (
              <li key={name} aria-current={name === step ? 'step' : undefined}>
                {open && name !== step ? <Link to={to(name)}>{text}</Link> : <span>{text}</span>}
                {showProblems && count > 0 && name !== 'start' && (
                  <Badge screenReaderText={t('launch.problems', { count })}>{count}</Badge>
                )}
              </li>
            );
          })}
        </ol>
        <h2 className="pf-v6-c-title pf-m-lg" tabIndex={-1} ref={heading}>
          {t(`launch.step.${step}`)}
        </h2>
        {earlier.error ? <ErrorAlert error={earlier.error} /> : null}
        {showProblems && (ownProblems.length > 0 || step === 'start-from' || step === 'select-files') && (
          <div tabIndex={-1} ref={summary}>
            <Alert isInline component="p" variant="danger" title={t('form.fix_errors')} role="alert">
              <ul>
                {step === 'start-from' && !draft.project && <li>{t('launch.project_required')}</li>}
                {step === 'start-from' && !draft.panel && <li>{t('errors.codes.panel_required')}</li>}
                {step === 'select-files' && draft.samples.length === 0 && <li>{t('errors.codes.samples_required')}</li>}
                {ownProblems.slice(0, 20).map((problem) => (
                  <li key={`${problem.code}-${problem.index ?? problem.pair ?? ''}`}>
                    {problem.sample ? <span translate="no">{problem.sample}: </span> : null}
                    {problemText(t, { ...problem })}
                  </li>
                ))}
                {ownProblems.length > 20 && <li>{t('launch.more_problems', { n: ownProblems.length - 20 })}</li>}
              </ul>
            </Alert>
          </div>
        )}
        {step === 'start-from' && <StartFromStep {...props} />}
        {step === 'select-files' && <SelectFilesStep {...props} />}
        {step === 'edit-definition' && <DefinitionStep {...props} />}
        {step === 'preview' && <PreviewStep {...props} />}
        {step === 'start' && (
          <StartStep
            {...props}
            onSent={onSent}
            onAnother={() => {
              setSent(false);
              void navigate(to('start-from'));
            }}
          />
        )}
      </PageSection>
      {step !== 'start' && (
        <PageSection hasBodyWrapper={false} stickyOnBreakpoint={{ default: 'bottom' }} className="sp-no-print">
          <Flex>
            <FlexItem>
              <Button
                variant="secondary"
                isAriaDisabled={place === 0}
                onClick={() => place > 0 && void navigate(to(STEPS[place - 1]!))}
              >
                {t('launch.back')}
              </Button>
            </FlexItem>
            <FlexItem>
              <Button variant="primary" onClick={goOn}>
                {step === 'preview' ? t('launch.start') : t('launch.next')}
              </Button>
            </FlexItem>
            <FlexItem>
              <Button
                variant="link"
                onClick={() => {
                  clear();
                  void navigate(`/secondary-analysis/tasks${group.param}`);
                }}
              >
                {t('common.cancel')}
              </Button>
            </FlexItem>
          </Flex>
        </PageSection>
      )}
      <LeavePrompt isDirty={!isSent && !isEmptyDraft(draft)} within={BASE} />
    </>
  );
}

/** `?from=<task id>` fills the wizard with the definition of an earlier task (TASK-18). */
function useEarlierDefinition(group: string, setDraft: StepProps['setDraft']) {
  const [params, setParams] = useSearchParams();
  const from = params.get('from') ?? undefined;
  const check = useRerunCheck(group, from);
  const definition = check.data?.definition;
  useEffect(() => {
    if (!from || !definition) return;
    setDraft(() => fromRequest(definition, randomId()));
    setParams(
      (now) => {
        const next = new URLSearchParams(now);
        next.delete('from');
        return next;
      },
      { replace: true },
    );
  }, [from, definition, setDraft, setParams]);
  return { isPending: from !== undefined && check.isPending, error: from === undefined ? undefined : check.error };
}
