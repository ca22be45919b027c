/** How many bytes forms may hold in the process's temporary folder: one form, and all that are being served. */

const MiB = 1024 * 1024;

export interface FormLimits {
  /** The largest file is a panel's control data or its tarball. */
  fileBytes: number;
  files: number;
  /** Files and fields of one form. */
  formBytes: number;
  /** All forms at once: less than the space that the chart gives to /tmp. */
  processBytes: number;
  /** Forms whose files are checked at once: each may take several times its size of memory. The others wait. */
  served: number;
}

export const FORM_LIMITS: FormLimits = {
  fileBytes: 64 * MiB,
  files: 110,
  formBytes: 128 * MiB,
  processBytes: 512 * MiB,
  served: 2,
};

export class FormSpace {
  readonly limits: FormLimits;
  #held = 0;
  #served = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limits: FormLimits = FORM_LIMITS) {
    this.limits = limits;
  }

  get heldBytes(): number {
    return this.#held;
  }

  /** False, and nothing is taken, when all forms together would exceed their limit. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.limits.processBytes) return false;
    this.#held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }

  /** Resolves when it is this form's turn; call `leave` when its answer has gone. */
  async enter(): Promise<void> {
    if (this.#served < this.limits.served) this.#served++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#served--;
  }
}
