// In a pod beside the release: every 2 s a person logs in and reads a list, and twice a second
// another one who is logged in reads on.
// A line for each call that failed; every 5 s a line of how many were made.
const { SEQPANEL_URL: url, SEQPANEL_PASSWORD: password } = process.env;
let calls = 0;
const call = async (method, path, token, body) => {
  calls++;
  const answer = await fetch(`${url}${path}`, {
    method,
    signal: AbortSignal.timeout(15_000),
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${(await answer.text()).slice(0, 300)}`);
  return await answer.json();
};
const logIn = () => call('POST', '/auth/login', undefined, { username: 'admin', password });
const read = (token) => call('GET', '/api/v1/pivat/admin/users/', token);
const told = (what) => (error) =>
  console.log(`failed ${new Date().toISOString()} ${what}: ${error.message} ${error.cause?.code ?? ''}`);

const { token } = await logIn();
// One login at a time, like one person, because more than five of one name at once are rejected.
let busy = false;
setInterval(() => read(token).catch(told('an old session')), 500);
// Well below the logins a minute that the api allows one address.
setInterval(() => {
  if (busy) return;
  busy = true;
  logIn()
    .then((session) => read(session.token))
    .catch(told('a new session'))
    .finally(() => {
      busy = false;
    });
}, 2000);
setInterval(() => console.log(`calls ${calls}`), 5000);
