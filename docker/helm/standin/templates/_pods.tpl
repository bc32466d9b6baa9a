{{/* Fields that all pods of the chart share. */}}
{{- define "standin.locked" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Takes the number of the user. */}}
{{- define "standin.user" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "standin.secret" -}}
- { name: {{ .name }}, valueFrom: { secretKeyRef: { name: standin-secrets, key: {{ .key | default .name }} } } }
{{- end }}

{{/* Environment of every process of the service. */}}
{{- define "standin.environment" -}}
envFrom:
  - configMapRef: { name: standin-settings }
  - secretRef: { name: standin-apps, optional: true }
env:
{{- range list "DATABASE_URL" "STANDIN_SECRET_KEYS" "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" }}
  {{- include "standin.secret" (dict "name" .) | nindent 2 }}
{{- end }}
{{- end }}

{{- define "standin.pull" -}}
{{- with .Values.imagePullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
{{- end }}

{{- define "standin.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- end }}
