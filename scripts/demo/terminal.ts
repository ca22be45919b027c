/** Writes lines and, on a terminal, one progress line that is updated in place. */
export interface Terminal {
  line(text: string): void;
  /** Replaces the progress line. If output is not a terminal, prints it only when more than the seconds changed. */
  progress(text: string): void;
}

export function openTerminal(stream: NodeJS.WriteStream = process.stdout): Terminal {
  let shown = '';
  const clear = (): void => {
    if (stream.isTTY && shown !== '') stream.write('\r\u001b[2K');
    shown = '';
  };
  const withoutSeconds = (text: string): string => text.replace(/ · \d+ s$/, '');
  return {
    line(text) {
      clear();
      stream.write(`${text}\n`);
    },
    progress(text) {
      if (stream.isTTY) {
        clear();
        const width = stream.columns ?? 100;
        stream.write(text.length > width ? `${text.slice(0, width - 1)}…` : text);
        shown = text;
      } else if (withoutSeconds(text) !== withoutSeconds(shown)) {
        stream.write(`${text}\n`);
        shown = text;
      }
    },
  };
}
