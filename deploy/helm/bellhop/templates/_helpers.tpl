{{- define "bellhop.name" -}}
{{- if contains "bellhop" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-bellhop" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "bellhop.selector" -}}
app.kubernetes.io/name: bellhop
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "bellhop.labels" -}}
{{ include "bellhop.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "bellhop.secret" -}}
{{ .Values.secrets.existingSecret | default (include "bellhop.name" .) }}
{{- end }}

{{/* The settings without which a pod would start with a database, a key or a token of its own. */}}
{{- define "bellhop.requiredSecrets" -}}
{{- $names := list "BELLHOP_MASTER_KEY" "BELLHOP_ADMIN_TOKEN" }}
{{- range .Values.environments }}
{{- $names = append $names (printf "BELLHOP_%s_DATABASE_URL" (upper .)) }}
{{- if $.Values.sharedLimits }}
{{- $names = append $names (printf "BELLHOP_%s_REDIS_URL" (upper .)) }}
{{- end }}
{{- end }}
{{- join " " $names }}
{{- end }}

{{/* All keys of the Secret that the chart knows of. */}}
{{- define "bellhop.secretNames" -}}
{{- $required := splitList " " (include "bellhop.requiredSecrets" .) }}
{{- concat $required (keys .Values.secrets.values | sortAlpha) .Values.secrets.more | uniq | join " " }}
{{- end }}

{{/* Of health checks and metrics. */}}
{{- define "bellhop.scheme" -}}
{{- ternary "HTTPS" "HTTP" (hasKey .Values.settings "BELLHOP_BACK_OFFICE_TLS_CERT_FILE") }}
{{- end }}

{{/* The port of each partner API, by environment. */}}
{{- define "bellhop.port" -}}
{{- if eq . "production" }}8080{{ else }}8081{{ end }}
{{- end }}

{{/* Whether a URL leads into the cluster or a private network, as far as its host shows that. */}}
{{- define "bellhop.isPrivate" -}}
{{- $host := (urlParse .).hostname }}
{{- regexMatch `^([^.:]+|.+\.(svc|local|internal)\.?|10\..+|192\.168\..+|172\.(1[6-9]|2[0-9]|3[01])\..+|f[cd][0-9a-f]{2}:.+)$` $host }}
{{- end }}
