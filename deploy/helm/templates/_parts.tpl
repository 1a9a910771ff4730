{{- define "nmp.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "nmp.labels" -}}
app.kubernetes.io/name: nmp
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /* What selects the pods of a role: (list . "api"). */ -}}
{{- define "nmp.selector" -}}
app.kubernetes.io/name: nmp
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "nmp.pod" -}}
# No process speaks to the cluster.
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "nmp.container" -}}
image: {{ include "nmp.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: scratch, mountPath: /tmp }
{{- end }}

{{- define "nmp.environment" -}}
- configMapRef: { name: {{ .Release.Name }} }
- secretRef: { name: {{ .Values.existingSecret }} }
{{- end }}

{{- /* Over zones and machines, as far as there are several: (list . "api"). */ -}}
{{- define "nmp.spread" -}}
{{- $selector := include "nmp.selector" . }}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- $selector | nindent 6 }}
{{- end }}
{{- end }}

{{- define "nmp.ports" -}}
{{- range . }}
- { protocol: TCP, port: {{ . }} }
{{- end }}
{{- end }}
