/** What a caller gives to run a local control plane. */
export interface LocalControlPlaneOptions {
  /** Everything it writes: the store, the token, the pods' folders and logs. Made when absent. */
  dataDir: string;
  /** The storage root that pods see as SEQPANEL_STORAGE. */
  storageDir: string;
  /** 0 (the default) takes any free port of 127.0.0.1. */
  port?: number;
  /** Namespaces made at start beside `default`. */
  namespaces?: string[];
  /** Milliseconds since the epoch; for tests. */
  now?: () => number;
  /** The kubelet: false leaves pods Pending, so that a test plays the kubelet by writing their status. Default true. */
  runner?: boolean;
  /** The Job controller: on by default, also without the runner. */
  jobController?: boolean;
  /** Delay before the first retry of a failed index; 10 s as kube-controller-manager has it. */
  jobBackoffMs?: number;
  /** Put first on the pods' PATH. Default: pipeline-images/bin and the folder of this Node. */
  path?: string[];
  /** The machine's size as the scheduler sees it; default: this machine's. CPU in cores, memory in bytes. */
  capacity?: { cpu: number; memory: number };
}

/** A running local control plane. */
export interface LocalControlPlane {
  /** Base URL, plain http. */
  url: string;
  /** Bearer token of the one user; kept in the data folder. */
  token: string;
  /** Writes a kubeconfig (mode 0600) to the path. */
  kubeconfig(path: string): void;
  /** Ends watches, stops pods (SIGTERM, then SIGKILL), closes the store. */
  stop(): Promise<void>;
}

/** Starts store, HTTP server, controllers and job runner in this process. */
export async function startLocalControlPlane(_options: LocalControlPlaneOptions): Promise<LocalControlPlane> {
  throw new Error('the parts are wired in the next commits');
}
