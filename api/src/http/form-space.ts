/** Limits the bytes that forms occupy in the process's temporary folder, per form and in total. */

const MiB = 1024 * 1024;

export interface FormLimits {
  /** Limit of one file. The largest is a panel's control data or its tarball. */
  fileBytes: number;
  files: number;
  /** Limit of one form's files and fields. */
  formBytes: number;
  /** Limit of all forms together. Must be less than the chart gives /tmp. */
  processBytes: number;
  /** Forms processed at once, because checking may need several times their size in memory. Others wait. */
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

  /** Reserves space. Returns false and reserves nothing when the total would exceed its limit. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.limits.processBytes) return false;
    this.#held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }

  /** Waits for this form's turn. Call `leave` when its answer has been sent. */
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
