// The schema of the values of the chart for Kubernetes (examples/helm): helm refuses values that do not follow it. The settings of each
// process are those that the process declares.
import { apiSettings } from "../../services/api/config.ts"
import { authProxySettings } from "../../services/auth-proxy/config.ts"
import { type ServiceSettings, listServiceSettings } from "../../services/common/settings.ts"
import { dashboardHostSettings } from "../../services/dashboard-host/config.ts"
import { workerSettings } from "../../services/worker/config.ts"
import type { SettingsShape } from "../../signer/core/settings/settings.ts"

export const CHART = "examples/helm/countersign"

/** Settings that the chart sets itself, and those that mean nothing in it: it has no way out for Turnstile. */
const OF_THE_CHART =
  /_TURNSTILE_|_(?:LISTEN|BEHIND_PROXY|DATA_DIR|EXIT_WITH_PARENT|STOP_GRACE_SECONDS|DATABASE_SOCKET|KEY_FILE|API_URL)$|^DATABASE_URL$|^COUNTERSIGN_(?:SIGNER|FETCHER)_/

/** The network policies name the port of metrics. */
const METRICS = /_METRICS_LISTEN$/

type Schema = { [name: string]: unknown }

const text: Schema = { type: "string" }
const labels: Schema = { type: "object", minProperties: 1, additionalProperties: text }
const block: Schema = { type: "string", pattern: "^[0-9a-fA-F.:]+/[0-9]+$" }
const address: Schema = { type: "string", pattern: "^[^:]+:[0-9]+$" }

/** JSON Schema, draft 7. */
export function chartSchema(): string {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...object(
      {
        image: object(
          {
            registry: { type: "string", minLength: 1 },
            tag: text,
            digests: {
              type: "object",
              additionalProperties: { type: "string", pattern: "^sha256:[0-9a-f]{64}$" },
            },
            pullSecrets: { type: "array", items: text },
          },
          ["registry"],
        ),
        signer: object({ address, network: block }, ["network"]),
        fetcher: object({ address, network: block }, ["network"]),
        hostAliases: { type: "array", items: { type: "object" } },
        database: object({ secret: text, port: { type: "integer" }, network: block }, ["network"]),
        ingress: object({ namespaceLabels: labels }),
        monitoring: object({ namespaceLabels: labels }),
        outside: object({ except: { type: "array", items: block } }),
        api: processValues(apiSettings({}), { certificateSecret: text }),
        worker: processValues(workerSettings),
        authProxy: processValues(authProxySettings({}), { keySecret: text }),
        dashboard: processValues(dashboardHostSettings),
        global: { type: "object" },
      },
      ["image", "signer", "fetcher", "database"],
    ),
  }
  return `${JSON.stringify(schema, undefined, 2)}\n`
}

function object(properties: Schema, required: readonly string[] = []): Schema {
  return {
    type: "object",
    additionalProperties: false,
    properties,
    ...(required.length > 0 ? { required } : {}),
  }
}

function processValues<S extends SettingsShape>(settings: ServiceSettings<S>, more: Schema = {}): Schema {
  const shown = listServiceSettings(settings, {}).settings.filter(
    ({ name }) => METRICS.test(name) || !OF_THE_CHART.test(name),
  )
  const properties = shown.map(({ name, value }) => [
    name,
    METRICS.test(name)
      ? { const: "0.0.0.0:9464", description: "by default none" }
      : { type: "string", description: `by default ${value ?? "none"}` },
  ])
  return object({
    replicas: { type: "integer", minimum: 1 },
    settings: object(Object.fromEntries(properties) as Schema),
    resources: { type: "object" },
    ...more,
  })
}
