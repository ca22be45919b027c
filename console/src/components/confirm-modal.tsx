import {
  Alert,
  Button,
  Content,
  Form,
  FormGroup,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  ModalVariant,
  TextInput,
} from '@patternfly/react-core';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from './error-state.tsx';

interface ConfirmModalProps {
  /** A question that names the thing ("Delete project run_42?"). */
  title: string;
  /** Says what is deleted, what is kept, how much space is freed and whether it can be undone. */
  children: ReactNode;
  /** A verb ("Delete project"), never OK. */
  action: string;
  /** Name to type before data are lost irreversibly. */
  typeToConfirm?: string;
  isDanger?: boolean;
  isBusy?: boolean;
  error?: unknown;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before something is deleted or stopped. */
export function ConfirmModal(props: ConfirmModalProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const id = useId();
  const isBlocked = props.typeToConfirm !== undefined && typed !== props.typeToConfirm;
  return (
    <Modal
      variant={ModalVariant.small}
      isOpen
      onClose={props.onCancel}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-body`}
    >
      <ModalHeader
        title={props.title}
        labelId={`${id}-title`}
        {...(props.isDanger === false ? {} : { titleIconVariant: 'warning' as const })}
      />
      <ModalBody id={`${id}-body`}>
        <Content>{props.children}</Content>
        {props.typeToConfirm !== undefined && (
          <Form
            onSubmit={(event) => {
              event.preventDefault();
              if (!isBlocked) props.onConfirm();
            }}
          >
            <FormGroup label={t('common.type_to_confirm', { name: props.typeToConfirm })} fieldId={`${id}-name`}>
              <TextInput
                id={`${id}-name`}
                value={typed}
                onChange={(_event, value) => setTyped(value)}
                autoComplete="off"
              />
            </FormGroup>
          </Form>
        )}
        {props.error ? <ErrorAlert error={props.error} /> : null}
        {props.isBusy && <Alert isInline component="p" isPlain variant="info" title={t('common.working')} />}
      </ModalBody>
      <ModalFooter>
        <Button
          variant={props.isDanger === false ? 'primary' : 'danger'}
          isAriaDisabled={isBlocked || props.isBusy === true}
          isLoading={props.isBusy === true}
          onClick={() => !isBlocked && !props.isBusy && props.onConfirm()}
        >
          {props.action}
        </Button>
        <Button variant="link" onClick={props.onCancel}>
          {t('common.cancel')}
        </Button>
      </ModalFooter>
    </Modal>
  );
}
