/** Prints docs/outputs.md, generated from the tables in src/outputs. A test fails when the committed file differs. */
import { outputsDocument } from './outputs-document.ts';

process.stdout.write(outputsDocument());
