import { MESSAGES } from '@seqpanel/crds/messages.ts';
import { VARIANT_COLUMNS } from '@seqpanel/crds/variant-columns.ts';
import common from './common.json';
import components from './components.json';
import dashboard from './dashboard.json';
import errors from './errors.json';
import form from './form.json';
import frame from './frame.json';
import grid from './grid.json';
import igv from './igv.json';
import jobs from './jobs.json';
import launch from './launch.json';
import logfile from './logfile.json';
import login from './login.json';
import output from './output.json';
import plot from './plot.json';
import project from './project.json';
import projects from './projects.json';
import qc from './qc.json';
import software from './software.json';
import systemTasks from './system-tasks.json';
import table from './table.json';
import taskDetail from './task-detail.json';
import taskinfo from './taskinfo.json';
import tasks from './tasks.json';
import upload from './upload.json';
import uploads from './uploads.json';
import userSettings from './user-settings.json';
import variants from './variants.json';

/** All English texts, by page. Texts of error codes and the help of variant columns come from crds. */
export const texts = {
  common,
  components,
  dashboard,
  errors: { ...errors, codes: MESSAGES },
  form,
  frame,
  grid,
  jobs,
  launch,
  login,
  plot,
  project,
  projects,
  software,
  system_tasks: systemTasks,
  table,
  tasks,
  upload,
  task_detail: taskDetail,
  variants: { ...variants, help: Object.fromEntries(VARIANT_COLUMNS.map(({ key, help }) => [key, help])) },
  qc,
  igv,
  logfile,
  output,
  taskinfo,
  uploads,
  'user-settings': userSettings,
};
