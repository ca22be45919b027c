/** Props of each tab. */
export interface AdminTabProps {
  /** Interval for the queries; false while the websocket reports changes. */
  refetchInterval: number | false;
}
