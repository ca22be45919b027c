/** A real OpenID Connect provider in this process. It logs a person in without asking. */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Person {
  sub: string;
  [claim: string]: string;
}

export interface IdentityProvider {
  issuer: URL;
  /** Logs the person in at the provider's page, like a browser. Returns the address of the redirect back. */
  logIn(location: string, person: Person): Promise<URL>;
  close(): Promise<void>;
}

/** Makes the server listen with https. Clients trust the certificate's CA. */
export interface SecurePlace {
  address: string;
  /** PEM text. */
  key: string;
  cert: string;
}

export async function startIdentityProvider(
  clientId: string,
  secret: string,
  redirectUri: string,
  place?: SecurePlace,
): Promise<IdentityProvider> {
  const server = place ? createTlsServer(place) : createServer();
  const address = place?.address ?? '127.0.0.1';
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const issuer = new URL(`http${place ? 's' : ''}://${address}:${(server.address() as AddressInfo).port}`);
  const people = new Map<string, Person>();
  const { Provider } = await import('oidc-provider');
  const provider = new Provider(issuer.href.replace(/\/$/, ''), {
    clients: [{ client_id: clientId, client_secret: secret, redirect_uris: [redirectUri], response_types: ['code'] }],
    claims: { profile: ['preferred_username', 'given_name', 'family_name'], email: ['email'] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: async () => people.get(id)! }),
    features: { devInteractions: { enabled: true } },
  });
  server.on('request', provider.callback());

  const logIn = async (location: string, person: Person): Promise<URL> => {
    people.set(person.sub, person);
    const cookies = new Map<string, string>();
    let next = new URL(location);
    let form: string | undefined;
    for (let hop = 0; hop < 12; hop++) {
      if (next.href.startsWith(redirectUri)) return next;
      const answer = await fetch(next, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [name, value] = cookie.split(';')[0]!.split('=') as [string, string];
        cookies.set(name, value);
      }
      form = undefined;
      const to = answer.headers.get('location');
      if (to) next = new URL(to, next);
      else {
        const page = await answer.text(); // the provider's own page: a form for the login, then one for the consent
        const action = /action="([^"]+)"/.exec(page)?.[1];
        if (!action) throw new Error(`the provider answered ${answer.status}: ${page.slice(0, 300)}`);
        next = new URL(action, next);
        form = page.includes('name="login"') ? `prompt=login&login=${person.sub}&password=x` : 'prompt=consent';
      }
    }
    throw new Error(`the provider never came back: ${next}`);
  };
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { issuer, logIn, close };
}
