/** One toast. Errors stay until they are closed, successes close after 5 s. */
import { randomId } from '../random-id.ts';

export interface Notification {
  id: string;
  variant: 'success' | 'info' | 'warning' | 'danger';
  title: string;
  body?: string;
  errorId?: string;
  link?: { to: string; text: string };
  time: Date;
  read: boolean;
  /** True while shown as a toast; afterwards it is in the drawer only. */
  toast: boolean;
  /** Heading in the drawer. */
  section: 'tasks' | 'uploads' | 'exports' | 'system';
}

export type NewNotification = Pick<Notification, 'variant' | 'title'> & Partial<Notification>;

/** Notifications of this tab, newest first. Keyed by id: the same id replaces its entry. */
export class NotificationStore {
  #list: readonly Notification[] = [];
  readonly #listeners = new Set<() => void>();

  get = (): readonly Notification[] => this.#list;

  add(notification: NewNotification): string {
    const id = notification.id ?? randomId();
    const entry: Notification = { section: 'system', time: new Date(), read: false, toast: true, ...notification, id };
    this.#set([entry, ...this.#list.filter((other) => other.id !== id)].slice(0, 200));
    return id;
  }

  change(id: string, part: Partial<Notification>): void {
    this.#set(this.#list.map((entry) => (entry.id === id ? { ...entry, ...part } : entry)));
  }

  remove(id: string): void {
    this.#set(this.#list.filter((entry) => entry.id !== id));
  }

  markAllRead(): void {
    this.#set(this.#list.map((entry) => ({ ...entry, read: true })));
  }

  clear(): void {
    this.#set([]);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  #set(list: readonly Notification[]): void {
    this.#list = list;
    for (const listener of this.#listeners) listener();
  }
}

export const notifications = new NotificationStore();
