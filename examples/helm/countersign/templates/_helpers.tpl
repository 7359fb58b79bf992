{{/* Labels that select the pods of a process. */}}
{{- define "countersign.selector" -}}
app.kubernetes.io/name: countersign
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "countersign.labels" -}}
{{ include "countersign.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{- define "countersign.image" -}}
{{- $image := .root.Values.image -}}
{{- $repository := printf "%s/countersign-%s" (required "image.registry: the folder of your registry" $image.registry) .name -}}
{{- $digest := index $image.digests .name -}}
{{- if $digest -}}{{ $repository }}@{{ $digest }}{{- else -}}{{ $repository }}:{{ $image.tag | default .root.Chart.AppVersion }}{{- end -}}
{{- end }}

{{/* A pod of one process. `fixed`: settings that the chart sets; `mounts`: volumes beside the process's own folder. */}}
{{- define "countersign.pod" -}}
metadata:
  labels:
    {{- include "countersign.labels" . | nindent 4 }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  # Longer than the grace of a stop, in which a process still serves.
  terminationGracePeriodSeconds: 30
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile: { type: RuntimeDefault }
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with .root.Values.hostAliases }}
  hostAliases:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "countersign.selector" . | nindent 10 }}
  {{- with .before }}
  initContainers:
    - name: prepare
      image: {{ include "countersign.image" $ }}
      command: {{ toJson . }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        {{- include "countersign.mounts" $ | nindent 8 }}
  {{- end }}
  containers:
    - name: {{ .name }}
      image: {{ include "countersign.image" . }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      env:
        {{- range $name, $value := merge (dict "COUNTERSIGN_DATA_DIR" "/var/lib/countersign") .fixed .values.settings }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- if .database }}
        - name: DATABASE_URL
          valueFrom: { secretKeyRef: { name: {{ .root.Values.database.secret }}, key: url } }
        {{- end }}
      ports:
        - { name: http, containerPort: {{ .port }} }
      startupProbe:
        httpGet: { path: /livez, port: http }
        periodSeconds: 2
        failureThreshold: 90
      livenessProbe:
        httpGet: { path: /livez, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      volumeMounts:
        {{- include "countersign.mounts" . | nindent 8 }}
  volumes:
    - name: data
      emptyDir: { medium: Memory, sizeLimit: 16Mi }
    {{- range $volume := .secrets }}
    - name: {{ $volume.name }}
      secret: { secretName: {{ $volume.secret }}, defaultMode: 0440 }
    {{- end }}
{{- end }}

{{- define "countersign.mounts" -}}
- { name: data, mountPath: /var/lib/countersign }
{{- range .secrets }}
- { name: {{ .name }}, mountPath: {{ .path }}, readOnly: true }
{{- end }}
{{- end }}

{{/* Deployment, service and disruption budget of one process. */}}
{{- define "countersign.process" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  labels:
    {{- include "countersign.labels" . | nindent 4 }}
spec:
  replicas: {{ .values.replicas }}
  strategy: { type: {{ .strategy }} }
  selector:
    matchLabels:
      {{- include "countersign.selector" . | nindent 6 }}
  template:
    {{- include "countersign.pod" . | nindent 4 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  labels:
    {{- include "countersign.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "countersign.selector" . | nindent 6 }}
{{- if .isCalled }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  labels:
    {{- include "countersign.labels" . | nindent 4 }}
spec:
  selector:
    {{- include "countersign.selector" . | nindent 4 }}
  ports:
    - { name: http, port: {{ .port }}, targetPort: http }
{{- end }}
{{- end }}
