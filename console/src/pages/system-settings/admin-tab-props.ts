/** What each tab is given. */
export interface AdminTabProps {
  /** For its queries; false while the websocket tells of changes. */
  refetchInterval: number | false;
}
