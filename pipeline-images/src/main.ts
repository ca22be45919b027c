/** The program behind bin/seqpanel-step: finds the step by its name and lets the frame run it. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runProgram } = await import('./runner/program.ts');
const { STEPS } = await import('./step-modules.ts');
process.exitCode = await runProgram(process.argv.slice(2), process.env, STEPS);
