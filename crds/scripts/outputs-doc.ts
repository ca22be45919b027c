/** Prints docs/outputs.md, made of the tables in src/outputs; a test fails when the file there is not this. */
import { outputsDocument } from './outputs-document.ts';

process.stdout.write(outputsDocument());
