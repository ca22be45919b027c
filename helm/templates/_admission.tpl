{{/* Name of a policy. Contains the namespace, because policies are cluster-scoped. Call with (list . "groups"). */}}
{{- define "seqpanel.policyName" -}}
{{- $root := index . 0 -}}
seqpanel.{{ $root.Release.Namespace }}.{{ include "seqpanel.name" $root }}.{{ index . 1 }}
{{- end }}

{{- define "seqpanel.policyBinding" }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ include "seqpanel.policyName" . | quote }}
  labels:
    {{- include "seqpanel.labels" (list (index . 0) "admission") | nindent 4 }}
spec:
  policyName: {{ include "seqpanel.policyName" . | quote }}
  validationActions: [Deny]
{{- end }}

{{/* Limits the policy to this namespace. */}}
{{- define "seqpanel.policyNamespace" -}}
namespaceSelector:
  matchLabels: { kubernetes.io/metadata.name: {{ .Release.Namespace | quote }} }
{{- end }}
