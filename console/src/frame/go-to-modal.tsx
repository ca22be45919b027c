import { Label, Modal, ModalBody, ModalHeader, ModalVariant, SearchInput } from '@patternfly/react-core';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { type Place, recentPlaces } from '../hooks/recents.ts';
import { useGroup } from '../hooks/use-group.ts';
import { useProjects } from '../queries/projects.ts';
import { useFoundTasks } from '../queries/tasks.ts';

const PAUSE_MS = 250;
const MOST_PROJECTS = 5;

/** Finds tasks by name, ID or sample, and projects by name; lists recently opened ones while nothing is typed. */
export function GoToModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id: group, param } = useGroup();
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState('');
  const [active, setActive] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const tasks = useFoundTasks(group, asked);
  const projects = useProjects(group);
  const places: Place[] =
    asked === ''
      ? recentPlaces(group)
      : [
          ...(tasks.data?.results ?? []).map(
            ({ id, name }): Place => ({ kind: 'task', name, group, to: `/secondary-analysis/tasks/${id}${param}` }),
          ),
          ...(projects.data?.results ?? [])
            .filter(({ name }) => name.toLowerCase().includes(asked.toLowerCase()))
            .slice(0, MOST_PROJECTS)
            .map(({ id, name }): Place => ({ kind: 'project', name, group, to: `/tools/projects/${id}${param}` })),
        ];
  const chosen = Math.min(active, places.length - 1);
  const go = (place: Place | undefined) => {
    if (!place) return;
    onClose();
    void navigate(place.to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive(Math.min(chosen + 1, places.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(chosen - 1, 0));
    else if (event.key === 'Enter') go(places[chosen]);
    else return;
    event.preventDefault();
  };
  const isSearching = asked !== typed.trim() || (asked !== '' && tasks.isFetching);
  return (
    <Modal
      isOpen
      variant={ModalVariant.small}
      position="top"
      onClose={onClose}
      elementToFocus="#go-to-search"
      aria-labelledby="go-to-title"
    >
      <ModalHeader title={t('frame.go_to')} labelId="go-to-title" />
      <ModalBody>
        <SearchInput
          aria-label={t('frame.go_to_hint')}
          placeholder={t('frame.go_to_hint')}
          value={typed}
          resetButtonLabel={t('table.clear_search')}
          onChange={(_event, value) => {
            setTyped(value);
            setActive(0);
          }}
          onClear={() => setTyped('')}
          onKeyDown={onKeyDown}
          searchInputId="go-to-search"
        />
        <p role="status" className="sp-second-line">
          {isSearching
            ? t('table.loading')
            : places.length === 0
              ? t(asked === '' ? 'frame.go_to_empty' : 'frame.go_to_none')
              : t(asked === '' ? 'frame.go_to_recent' : 'frame.go_to_found', { n: places.length })}
        </p>
        <ul className="sp-places">
          {places.map((place, index) => (
            <li key={place.to}>
              <a
                href={place.to}
                className={index === chosen ? 'sp-place sp-chosen' : 'sp-place'}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey) return;
                  event.preventDefault();
                  go(place);
                }}
              >
                <span translate="no">{place.name}</span>
                <Label isCompact>{t(`frame.place.${place.kind}`)}</Label>
              </a>
            </li>
          ))}
        </ul>
      </ModalBody>
    </Modal>
  );
}
