/** The part of yazl that is used here. The package has no types. */
declare module 'yazl' {
  export class ZipFile {
    readonly outputStream: NodeJS.ReadableStream;
    addFile(file: string, path: string, options?: { mtime?: Date; mode?: number; compress?: boolean }): void;
    end(): void;
  }
}
