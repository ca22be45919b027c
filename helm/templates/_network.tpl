{{/* Egress rules shared by several policies. */}}
{{- define "seqpanel.dnsEgress" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
    # OpenShift's
    - { port: 5353, protocol: UDP }
    - { port: 5353, protocol: TCP }
{{- end }}

{{- define "seqpanel.kubernetesEgress" -}}
{{- $api := .Values.networkPolicy.kubernetesApi -}}
- ports:
    {{- range $api.ports }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
  {{- with $api.cidrs }}
  to:
    {{- range . }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  {{- end }}
{{- end }}

{{/* The port of a URL; call with (list url default). */}}
{{- define "seqpanel.portOf" -}}
{{- $host := (urlParse (index . 0)).host -}}
{{- regexFind ":[0-9]+$" $host | trimPrefix ":" | default (index . 1) -}}
{{- end }}
