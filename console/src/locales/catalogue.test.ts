/** The messages that the product shows for an error, in the words of its requirements, and where their texts are. */
import { texts as en } from './en/index.ts';
import { texts as zh } from './zh/index.ts';

const GENERIC = {
  'unable to reach server': 'unreachable',
  'get failed': 'get_failed',
  '400 bad request': '400',
  '401 unauthorized': '401',
  '404 service not found': '404',
  '500 internal server error': '500',
  '502 bad gateway': '502',
  'other response': 'other',
  'unknown error': 'unknown',
  'log in again': 'forbidden',
} as const;

/** Key words of the English text, and the code that finds it. */
const CODES = {
  'the token is invalid. please log in again!': 'token_invalid',
  'fix the form errors': 'preset_invalid',
  'roi cannot be blank': 'preset_roi_blank',
  'invalid username or password': 'login_failed',
  'account is disabled': 'account_disabled',
  'group is disabled': 'group_disabled',
  'locked after multiple failed login attempts. please wait 30 minutes or reset the password': 'account_locked',
  'ldap server is misconfigured': 'ldap_misconfigured',
  'was deleted': 'preset_deleted',
  'was updated': 'preset_updated',
  'no longer active': 'panel_not_active',
  'panel type used in the task does not exist or was updated': 'panel_type_changed',
  'name already exists': 'preset_name_exists',
  'duplicate display name': 'panel_display_name_exists',
  'duplicate value': 'panel_value_exists',
  'files already exist': 'panel_files_exist',
  'panel already exists': 'panel_exists',
  'control already exists': 'control_exists',
  'control data already exists': 'control_data_exists',
  'panel file does not exist': 'panel_file_missing',
  'panel file must be json and named as the value': 'panel_file_name',
  'control file name error': 'control_file_name',
  'unable to obtain panel type data': 'panel_unavailable',
  'storage exceeded': 'storage_exceeded',
  'too many simultaneous files': 'too_many_files',
  'project name already exists': 'project_name_exists',
  'same as the old name': 'project_same_name',
  'already exists in this project': 'file_exists',
  'username already exists': 'username_exists',
  'current password is incorrect': 'password_current_incorrect',
  'must differ from the current password': 'password_unchanged',
  'sample name has existed': 'sample_name_exists',
  'invalid sample name': 'sample_name_invalid',
  'choose some sample files': 'samples_required',
  'bam file not found so igv cannot be generated': 'bam_not_found',
} as const;

const SCREENS = [
  ['some uploads are paused', en.uploads.paused_toast, zh.uploads.paused_toast],
  ['repeated files skipped', en.uploads.repeated_toast, zh.uploads.repeated_toast],
  ['storage exceeded', en.uploads.exceeded_toast_one, zh.uploads.exceeded_toast_other],
  ['could not be created', en.projects.create_failed, zh.projects.create_failed],
  ['could not be renamed', en.projects.rename_failed, zh.projects.rename_failed],
  ['password could not be changed', en['user-settings'].password_failed, zh['user-settings'].password_failed],
  ['download preparation failed', en.output.download_failed, zh.output.download_failed],
] as const;

const generic = (texts: typeof en | typeof zh) => texts.errors.generic as Record<string, string>;
const codes = (texts: typeof en | typeof zh) => texts.errors.codes as Record<string, string>;

const MESSAGES: (readonly [words: string, english: string | undefined, chinese: string | undefined])[] = [
  ...Object.entries(GENERIC).map(([words, key]) => [words, generic(en)[key], generic(zh)[key]] as const),
  ...Object.entries(CODES).map(([words, code]) => [words, codes(en)[code], codes(zh)[code]] as const),
  ...SCREENS,
];

test.each(MESSAGES)('[I18N-04] "%s" has an English and a Chinese text', (words, english, chinese) => {
  expect(english?.toLowerCase()).toContain(words);
  expect(chinese).toMatch(/\p{Script=Han}/u);
});
