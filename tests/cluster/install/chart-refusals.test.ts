/** Invalid values: the chart rejects each with a message that says what to set. */
import { describeOnCluster } from '../binaries.ts';
import { byKind, NS, openChart, read, SECRET } from './chart.ts';

describeOnCluster('values of the chart', (binaries) => {
  const { helm, render, refusal } = openChart(binaries.helm);

  test('without a Secret it prints the command that creates one', async () => {
    const message = await refusal();
    expect(message).toContain(`kubectl -n ${NS} create secret generic seqpanel`);
    for (const key of [
      'postgres-password',
      'postgres-api-password',
      'session-secret',
      'first-admin-password',
      'test-password',
    ])
      expect(message).toContain(`--from-literal=${key}=`);
  });

  test('given values create the Secret, all four or none', async () => {
    const given = [
      '--set',
      'secrets.values.postgresPassword=p,secrets.values.postgresApiPassword=q,secrets.values.firstAdminPassword=Aa1-x',
    ];
    expect(await refusal(...given)).toContain('all four');
    const whole = [...given, '--set', `secrets.values.sessionSecret=${'ab'.repeat(32)}`];
    const [secret] = byKind(await render(...whole), 'Secret');
    expect(Object.keys(secret!.stringData)).toEqual([
      'postgres-password',
      'postgres-api-password',
      'session-secret',
      'first-admin-password',
    ]);
    expect(await refusal(...whole, ...SECRET)).toContain('not both');
  });

  test.each([
    ['storage.accessMode=ReadWriteOnce', /ReadWriteMany .* singleNode=true/],
    ['storage.accessMode=RWX', /storage.accessMode.*must be one of 'ReadWriteMany', 'ReadWriteOnce'/],
    ['postgres.bundled=false', /postgres.external.host/],
    ['ingress.enabled=true', /ingress.host/],
    ['oidc.issuer=https://login.example', /oidc.publicUrl/],
    ['ldap.url=ldaps://directory.example', /ldap.searchBase/],
    [
      'ldap.allowPlaintext=true,ldap.url=ldaps://directory.example,ldap.searchBase=dc=lab',
      /ldap.allowPlaintext: ldaps:/,
    ],
    ['oidc.allowedClaim=groups', /oidc.allowedClaim and oidc.allowedValues: give both/],
    ['oidc.allowedValues[0]=lab', /oidc.allowedClaim and oidc.allowedValues: give both/],
    ['oidc.allowedClaim=groups,oidc.allowedValues[0]=a\\,b', /oidc.allowedValues: "a,b" cannot be used/],
    ['images.registri=registry.example', /additional properties 'registri' not allowed/],
    ['operator.replicas=0', /operator.replicas.*minimum: got 0, want 1/],
    ['secrets.values.sessionSecret=short', /secrets/],
    ['api.nodeSelector.ssd=true', /api.nodeSelector.ssd.*got boolean, want string/],
    ['oidc=null', /missing property 'oidc'/],
  ])('%s is refused and told what to do', async (value, message) => {
    expect((await refusal(...SECRET, '--set', value)).replaceAll('/', '.')).toMatch(message);
  });

  test.each([
    ['images.registry=https://registry.example', 'give host[:port][/path], as registry.lab.example/mirror'],
    ['images.api=https://registry.example/api', 'give repository:tag'],
    ['images.pullSecrets[0]=Mirror_pull', 'give the name of a Secret of this namespace'],
    ['secrets.existingSecret=laboratory/seqpanel', 'give the name of a Secret of this namespace'],
    ['storage.existingClaim=pvc/files', 'give the name of a PersistentVolumeClaim of this namespace'],
    ['storage.className=NFS Client', 'give the name of a StorageClass'],
    ['storage.size=500GB', 'give an amount as Kubernetes writes it, as 500Gi'],
    ['postgres.size=-1', 'give an amount as Kubernetes writes it'],
    ['postgres.external.host=postgres://me@db.lab.example:5432/panels', "give the host's name or address alone"],
    ['ingress.host=https://lab.example/', 'give a host name alone, as seqpanel.lab.example'],
    ['ingress.host=lab.example:8443', 'give a host name alone'],
    ['ingress.tlsSecret=tls.crt,', 'give the name of a Secret of this namespace (type kubernetes.io/tls)'],
    ['oidc.issuer=http://login.lab.example', "give the provider's URL with https://"],
    ['oidc.publicUrl=lab.example', 'give the URL by which browsers open the console'],
    ['ldap.url=directory.lab.example', "give the directory's URL, as ldaps://"],
    ['ldap.userAttribute=(uid=%s)', 'give the name of an attribute'],
    ['proxy.https=proxy.lab.example:3128', "give the proxy's URL with its port, as http://"],
    ['caBundle=/etc/ssl/ca.crt', 'give the name of a ConfigMap of this namespace'],
    ['tasks.kueueQueueTemplate=lab', 'give lower-case letters, digits, dashes and {group}'],
    ['tasks.imagePrefixes[0]=registry.lab', 'give host and path up to a slash'],
    ['genomes.hosts[0]=https://ftp.ensembl.org', 'give a host name alone'],
    ['networkPolicy.kubernetesApi.cidrs[0]=10.96.0.1', 'give address and bits, as 10.96.0.1/32'],
  ])('%s is refused with its name, what was given and what to give', async (setting, sentence) => {
    const [, name, value] = /^(.*?)=(.*)$/.exec(setting)!;
    const message = await refusal(
      ...(name === 'secrets.existingSecret' ? [] : SECRET),
      '--set-json',
      `${name}=${JSON.stringify(value)}`,
    );
    expect(message).toContain(`${name}: "${value}" cannot be used: ${sentence}`);
  });

  test('all invalid texts are reported at once in words, without patterns of the schema', async () => {
    const message = await refusal(...SECRET, '--set', 'storage.size=1TB,ingress.host=*.lab.example');
    expect(message).toMatch(/storage.size: .*\n.*ingress.host: /);
    expect(read('helm/values.schema.json')).not.toContain('"pattern"');
  });

  test.each(['my.panel', '7lab'])('a release %s is refused: Services could not be named after it', async (release) => {
    const message = await helm('template', release, '.', ...SECRET).then(String, (error: Error) => error.message);
    expect(message).toContain('it must begin with a letter and hold letters, digits and dashes alone');
  });
});
