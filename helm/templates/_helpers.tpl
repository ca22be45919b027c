{{/* Prefix of all names: the release's name. */}}
{{- define "seqpanel.name" -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{- end }}

{{/* Labels that upgrades do not change. Call with (list . "api"). */}}
{{- define "seqpanel.selector" -}}
app.kubernetes.io/name: seqpanel
app.kubernetes.io/instance: {{ (index . 0).Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "seqpanel.labels" -}}
{{ include "seqpanel.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: Helm
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{/* Image with its registry, by the rule of crds/src/images.ts. Call with (list . .Values.images.api). */}}
{{- define "seqpanel.image" -}}
{{- $image := index . 1 -}}
{{- if not (regexMatch "^(localhost|[^/]*[.:A-Z][^/]*)/" $image) -}}
{{- with (index . 0).Values.images.registry }}{{ trimSuffix "/" . }}/{{ end -}}
{{- end -}}
{{- $image -}}
{{- end }}

{{- define "seqpanel.storageClaim" -}}
{{- .Values.storage.existingClaim | default (printf "%s-storage" (include "seqpanel.name" .)) }}
{{- end }}

{{- define "seqpanel.secret" -}}
{{- .Values.secrets.existingSecret | default (include "seqpanel.name" .) }}
{{- end }}

{{/* Security context of a pod, as Pod Security "restricted" requires. */}}
{{- define "seqpanel.podSecurity" -}}
runAsNonRoot: true
seccompProfile: { type: RuntimeDefault }
{{- if not .Values.openshift }}
runAsUser: {{ .Values.ids.user }}
runAsGroup: {{ .Values.ids.group }}
fsGroup: {{ .Values.ids.group }}
{{- end }}
# OnRootMismatch, because changing the owner of all files takes hours, and Postgres rejects a data folder that others may read.
fsGroupChangePolicy: OnRootMismatch
{{- end }}

{{/* Security context of a container. */}}
{{- define "seqpanel.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* First fields of every pod. Call with (list . "api" automount). */}}
{{- define "seqpanel.pod" -}}
{{- $root := index . 0 -}}
serviceAccountName: {{ include "seqpanel.name" $root }}-{{ index . 1 }}
automountServiceAccountToken: {{ index . 2 }}
enableServiceLinks: false
{{- with $root.Values.images.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
securityContext:
  {{- include "seqpanel.podSecurity" $root | nindent 2 }}
{{- end }}

{{/* Placement of a pod. Call with (list . "api" .Values.api). */}}
{{- define "seqpanel.placement" -}}
{{- $own := index . 2 -}}
{{- with $own.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with $own.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if gt (int ($own.replicas | default 1)) 1 }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "seqpanel.selector" (list (index . 0) (index . 1)) | nindent 8 }}
{{- end }}
{{- end }}

{{/* PodDisruptionBudget of one pod at a time. None for a single replica, because a drain would never end. */}}
{{- define "seqpanel.disruptionBudget" -}}
{{- $root := index . 0 -}}
{{- if gt (int (index . 2)) 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "seqpanel.name" $root }}-{{ index . 1 }}
  labels:
    {{- include "seqpanel.labels" (list $root (index . 1)) | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "seqpanel.selector" (list $root (index . 1)) | nindent 6 }}
{{- end }}
{{- end }}

{{/* URL of the console for browsers. */}}
{{- define "seqpanel.publicUrl" -}}
{{- if .Values.oidc.publicUrl -}}
{{ .Values.oidc.publicUrl }}
{{- else if .Values.ingress.enabled -}}
http{{ if .Values.ingress.tlsSecret }}s{{ end }}://{{ .Values.ingress.host }}
{{- end }}
{{- end }}

{{/* Settings of OpenID Connect and LDAP, with proxy and CA. */}}
{{- define "seqpanel.signIn" -}}
{{- with .Values.oidc }}
{{- if .issuer }}
- { name: SEQPANEL_PUBLIC_URL, value: {{ include "seqpanel.publicUrl" $ | quote }} }
- { name: SEQPANEL_OIDC_ISSUER, value: {{ .issuer | quote }} }
- { name: SEQPANEL_OIDC_CLIENT_ID, value: {{ .clientId | quote }} }
- { name: SEQPANEL_OIDC_NAME, value: {{ .name | quote }} }
- { name: SEQPANEL_OIDC_USERNAME_CLAIM, value: {{ .usernameClaim | quote }} }
{{- if .allowedClaim }}
- { name: SEQPANEL_OIDC_ALLOWED_CLAIM, value: {{ .allowedClaim | quote }} }
- { name: SEQPANEL_OIDC_ALLOWED_VALUES, value: {{ join "," .allowedValues | quote }} }
{{- end }}
{{- if .existingSecret }}
- { name: SEQPANEL_OIDC_CLIENT_SECRET_FILE, value: /etc/seqpanel-oidc/client-secret }
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.ldap }}
{{- if .url }}
- { name: SEQPANEL_LDAP_URL, value: {{ .url | quote }} }
{{- if .allowPlaintext }}
- { name: SEQPANEL_LDAP_PLAINTEXT, value: allow }
{{- end }}
- { name: SEQPANEL_LDAP_BIND_DN, value: {{ .bindDn | quote }} }
- { name: SEQPANEL_LDAP_SEARCH_BASE, value: {{ .searchBase | quote }} }
- { name: SEQPANEL_LDAP_USER_ATTRIBUTE, value: {{ .userAttribute | quote }} }
{{- if .existingSecret }}
- { name: SEQPANEL_LDAP_BIND_PASSWORD_FILE, value: /etc/seqpanel-ldap/bind-password }
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.proxy }}
{{- if .https }}
- { name: NODE_USE_ENV_PROXY, value: "1" }
- { name: HTTPS_PROXY, value: {{ .https | quote }} }
- { name: NO_PROXY, value: {{ .except | quote }} }
{{- end }}
{{- end }}
{{- if .Values.caBundle }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/seqpanel-ca/ca.crt }
{{- end }}
{{- end }}

{{/* Name of an object outside the namespace. Unique, because no part contains a colon. Call with (list . "more"). */}}
{{- define "seqpanel.sharedName" -}}
{{- $root := index . 0 -}}
{{ concat (list "seqpanel" $root.Release.Namespace (include "seqpanel.name" $root)) (rest .) | join ":" }}
{{- end }}

{{/* Keys of the Secret: passwords of the database's owner and of the serving role. */}}
{{- define "seqpanel.hasOwnRoles" -}}
{{- if or .Values.postgres.bundled .Values.postgres.external.ownerUser }}true{{ end }}
{{- end }}

{{/* Database URL without password. Call with (list . "owner") or (list . "api"). */}}
{{- define "seqpanel.databaseUrl" -}}
{{- $root := index . 0 -}}
{{- $isOwner := eq (index . 1) "owner" -}}
{{- if $root.Values.postgres.bundled -}}
postgres://{{ ternary "seqpanel" "seqpanel_api" $isOwner }}@{{ include "seqpanel.name" $root }}-postgres:5432/seqpanel
{{- else -}}
{{- with $root.Values.postgres.external -}}
{{- $six := contains ":" .host -}}
postgres://{{ ternary .ownerUser .user $isOwner | urlquery }}@{{ ternary (printf "[%s]" .host) .host $six }}:{{ .port }}/{{ .database | urlquery }}?sslmode={{ .sslMode }}
{{- /* Without brackets, because the driver would treat them as part of an IPv6 address. */ -}}
{{- if $six }}&host={{ .host | urlquery }}{{ end }}
{{- if and $root.Values.caBundle (hasPrefix "verify" .sslMode) }}&sslrootcert=/etc/seqpanel-ca/ca.crt{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* RoleBinding of a service account and the Role of the same name. */}}
{{- define "seqpanel.roleBinding" -}}
{{- $root := index . 0 -}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ include "seqpanel.name" $root }}-{{ index . 1 }}
  labels:
    {{- include "seqpanel.labels" (list $root (index . 1)) | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ include "seqpanel.name" $root }}-{{ index . 1 }}
subjects:
  - { kind: ServiceAccount, name: {{ include "seqpanel.name" $root }}-{{ index . 1 }}, namespace: {{ $root.Release.Namespace | quote }} }
{{- end }}

{{/* First fields of a helm test pod. */}}
{{- define "seqpanel.testPod" -}}
{{ include "seqpanel.pod" (list . "step" false) }}
restartPolicy: Never
{{- end }}

{{/* Container that calls the public API. */}}
{{- define "seqpanel.testClient" -}}
image: {{ include "seqpanel.image" (list . .Values.images.operator) | quote }}
imagePullPolicy: {{ .Values.images.pullPolicy }}
command: [node]
env:
  - { name: SEQPANEL_URL, value: http://{{ include "seqpanel.name" . }}-api }
  - { name: SEQPANEL_USERNAME, value: demo-runner }
  - { name: SEQPANEL_PASSWORD_FILE, value: /etc/seqpanel-secret/password }
  - { name: SEQPANEL_STORAGE, value: /storage }
  - { name: SEQPANEL_DEMO_KEY, value: helm-test-{{ .Release.Revision }} }
resources:
  requests: { cpu: 10m, memory: 128Mi }
  limits: { cpu: "1", memory: 512Mi }
securityContext:
  {{- include "seqpanel.containerSecurity" . | nindent 2 }}
volumeMounts:
  - { name: storage, mountPath: /storage, readOnly: true }
  - { name: tmp, mountPath: /tmp }
  - { name: secret, mountPath: /etc/seqpanel-secret, readOnly: true }
{{- end }}

{{- define "seqpanel.testVolumes" -}}
- name: storage
  persistentVolumeClaim: { claimName: {{ include "seqpanel.storageClaim" . | quote }} }
- name: tmp
  emptyDir: {}
{{ include "seqpanel.testAccount" (list . "secret") }}
{{- end }}

{{/* Volume with the password of helm test's account. Call with (list . "name"). */}}
{{- define "seqpanel.testAccount" -}}
{{- $own := (index . 0).Values.tests.existingSecret -}}
- name: {{ index . 1 }}
  secret:
    secretName: {{ $own | default (include "seqpanel.secret" (index . 0)) | quote }}
    optional: true
    items:
      - { key: {{ ternary "password" "test-password" (ne $own "") }}, path: password }
{{- end }}
