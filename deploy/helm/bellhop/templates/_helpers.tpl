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
{{- concat $required (keys .Values.secrets.values | sortAlpha) .Values.secrets.more (keys .Values.secrets.from | sortAlpha) | uniq | join " " }}
{{- end }}

{{/* A key of a Secret: of one that another program made, if secrets.from says so. Takes a list of the root and the name. */}}
{{- define "bellhop.secretKey" -}}
{{- $root := index . 0 }}{{ $name := index . 1 }}
{{- $from := get $root.Values.secrets.from $name | default (dict "name" (include "bellhop.secret" $root) "key" $name) }}
{{- printf "{ name: %s, key: %s }" $from.name $from.key }}
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

{{- define "bellhop.image" -}}
{{- with .Values.image }}
{{- $name := ternary (printf "%s/%s" .registry .repository) .repository (ne .registry "") }}
{{- if .digest }}{{ printf "%s@%s" $name .digest }}{{ else }}{{ printf "%s:%s" $name (.tag | default $.Chart.AppVersion) }}{{ end }}
{{- end }}
{{- end }}

{{/*
Fails for what Bellhop would refuse at its start, and for a secret where it does not belong. settings.json is made from
the server's own tables. What a pod may not choose itself (its addresses, ports, roles and folders) is set by the chart.
*/}}
{{- define "bellhop.checkSettings" -}}
{{- $known := .Files.Get "settings.json" | fromJson }}
{{- $all := concat $known.settings $known.secrets $known.files }}
{{- $names := dict }}
{{- range $name, $_ := .Values.settings }}{{ $_ := set $names $name "settings" }}{{ end }}
{{- range .Values.extraEnv }}{{ $_ := set $names .name "extraEnv" }}{{ end }}
{{- range $name, $_ := .Values.secrets.values }}{{ $_ := set $names $name "secrets.values" }}{{ end }}
{{- range .Values.secrets.more }}{{ $_ := set $names . "secrets.more" }}{{ end }}
{{- range $name, $_ := .Values.secrets.from }}{{ $_ := set $names $name "secrets.from" }}{{ end }}
{{- range $name, $at := $names }}
{{- if hasPrefix "BELLHOP_" $name }}
{{- if not (has $name $all) }}
{{- fail (printf "%s: %s is not a setting of Bellhop %s. Check its spelling in docs/settings.md." $at $name $.Chart.AppVersion) }}
{{- end }}
{{- if regexMatch "^BELLHOP_(HOST|[A-Z_]+_PORT|ENVIRONMENTS|ROLES|DATA_DIR|DRAIN_DELAY|DEMO)$" $name }}
{{- fail (printf "%s: the chart sets %s itself. Remove it." $at $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $_ := .Values.settings }}
{{- if has $name $known.secrets }}
{{- fail (printf "settings: %s is a secret, and a ConfigMap does not keep secrets. Put it into secrets." $name) }}
{{- end }}
{{- end }}
{{- range .Values.extraEnv }}
{{- if and (has .name $known.secrets) .value }}
{{- fail (printf "extraEnv: %s is a secret. Take it from a Secret with valueFrom, or put it into secrets." .name) }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- $form := get $known.forms $name }}
{{- $text := ternary (printf "%d" (int64 $value)) (toString $value) (kindIs "float64" $value) }}
{{- if and $form (ne $text "") (not (regexMatch $form $text)) }}
{{- fail (printf "settings: Bellhop would refuse %s=%s. What it takes is in docs/settings.md." $name $text) }}
{{- end }}
{{- end }}
{{- if .Values.secrets.asFiles }}
{{- range concat (keys .Values.secrets.values) .Values.secrets.more (keys .Values.secrets.from) }}
{{- if and (hasPrefix "BELLHOP_" .) (not (has (printf "%s_FILE" .) $known.files)) }}
{{- fail (printf "secrets: %s cannot be in a file, because it is not a secret. Put it into settings." .) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.caBundle (hasKey .Values.settings "BELLHOP_CA_FILE") }}
{{- fail "caBundle sets BELLHOP_CA_FILE. Remove it from settings, or leave caBundle empty." }}
{{- end }}
{{- end }}

{{/* The roles that pods have, and back-office where its Service leads to some, as a list in one text. */}}
{{- define "bellhop.served" -}}
{{- $served := list }}
{{- range $workload := .Values.workloads }}
{{- if $workload }}
{{- if or $workload.autoscaling.enabled (gt (int $workload.replicas) 0) }}
{{- $served = concat $served $workload.roles }}
{{- if $workload.backOffice }}{{ $served = append $served "back-office" }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
{{- $served | uniq | join " " }}
{{- end }}

{{/* Whether a workload has the portal's role, with or without pods. */}}
{{- define "bellhop.hasPortal" -}}
{{- range $workload := .Values.workloads }}{{ if $workload }}{{ if has "portal" $workload.roles }}true{{ end }}{{ end }}{{ end }}
{{- end }}

{{/* Fails if a Service or an Ingress would lead to no pod. */}}
{{- define "bellhop.checkPods" -}}
{{- $served := splitList " " (include "bellhop.served" .) }}
{{- if not (has "partner-api" $served) }}
{{- fail "workloads: no pod has the role partner-api, so the Services of the environments would lead nowhere. Give the role to a workload with replicas." }}
{{- end }}
{{- if not (has "back-office" $served) }}
{{- fail "workloads: no pod serves the back office, so its Service would lead nowhere. Set backOffice of a workload with replicas to true." }}
{{- end }}
{{- $hasPortal := include "bellhop.hasPortal" . }}
{{- if and $hasPortal (not (has "portal" $served)) }}
{{- fail "workloads: the workload with the role portal has no replicas, so the portal's Service would lead nowhere. Give it replicas, or leave the role out." }}
{{- end }}
{{- if .Values.ingress.enabled }}
{{- if not .Values.ingress.hosts }}
{{- fail "ingress.enabled needs ingress.hosts: name a host for production, sandbox, portal or backOffice." }}
{{- end }}
{{- if and (hasKey .Values.ingress.hosts "portal") (not $hasPortal) }}
{{- fail "ingress.hosts.portal: no workload has the role portal. Give it to one, or remove the host." }}
{{- end }}
{{- end }}
{{- end }}
