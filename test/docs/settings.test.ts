// The tables of settings in docs/OPERATIONS.md beside the settings that the programs list.
import t from "tap"
import { optionalText } from "../../signer/core/settings/settings.ts"
import type { ListedSetting } from "../../signer/core/settings/listing.ts"
import { listConfig as listFetcher } from "../../signer/fetcher/config.ts"
import { listConfig as listSigner } from "../../signer/enclave/config.ts"
import { listConfig as listWitness } from "../../signer/witness/config.ts"
import { apiSettings } from "../../services/api/config.ts"
import { authProxySettings } from "../../services/auth-proxy/config.ts"
import { listServiceSettings } from "../../services/common/settings.ts"
import { dashboardHostSettings } from "../../services/dashboard-host/config.ts"
import { workerSettings } from "../../services/worker/config.ts"
import { textOf } from "./markdown.ts"

/** Defaults that the page says in words, or that follow another setting. */
const IN_WORDS: readonly string[] = [
  "COUNTERSIGN_API_PUBLIC_URL",
  "COUNTERSIGN_AUTH_PROXY_PUBLIC_URL",
  "COUNTERSIGN_AUTH_PROXY_TURNSTILE_URL",
  "COUNTERSIGN_DATABASE_SOCKET",
  "COUNTERSIGN_DATA_DIR",
  "COUNTERSIGN_EXIT_WITH_PARENT",
  "COUNTERSIGN_FETCHER_ISSUERS",
  "COUNTERSIGN_FETCHER_MAIL_DOMAINS",
  "COUNTERSIGN_FETCHER_SMS_URL",
  "COUNTERSIGN_FETCHER_SMTP_CA_FILE",
  "COUNTERSIGN_FETCHER_SOCKET_ACCESS",
  "COUNTERSIGN_FETCHER_WITNESS_LOGS_FILE",
  "COUNTERSIGN_SIGNER_BYTE_FEES",
  "COUNTERSIGN_SIGNER_FEE_CAPS",
  "COUNTERSIGN_SIGNER_SOCKET_ACCESS",
  "COUNTERSIGN_SIGNER_SPONSORED_USD_A_DAY",
  "COUNTERSIGN_SIGNER_SPONSORED_USD_A_DAY_SUB_ORGANIZATION",
  "COUNTERSIGN_SIGNER_WITNESS_THRESHOLD",
  "COUNTERSIGN_WITNESS_LOGS_FILE",
  "COUNTERSIGN_WORKER_FINALITY",
  "OTEL_EXPORTER_OTLP_PROTOCOL",
  "OTEL_SERVICE_NAME",
  "OTEL_TRACES_SAMPLER_ARG",
]

const environment = { COUNTERSIGN_DATA_DIR: "/data" }

function listed(): readonly ListedSetting[] {
  const fileState = () => "ENOENT"
  return [
    ...listServiceSettings(apiSettings(environment), environment).settings,
    ...listServiceSettings(authProxySettings(environment), environment).settings,
    ...listServiceSettings(workerSettings, environment).settings,
    ...listServiceSettings(dashboardHostSettings, environment).settings,
    ...[listSigner(optionalText as never), listFetcher, listWitness].flatMap(
      (list) => list(environment, fileState).settings,
    ),
  ]
}

/** Defaults of the page's rows, by name. */
function shownDefaults(): Map<string, string[]> {
  const shown = new Map<string, string[]>()
  const rows = textOf("docs/OPERATIONS.md").matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \| ([^|]*) \|/gm)
  for (const [, names = "", value = ""] of rows)
    for (const [, name = ""] of names.matchAll(/`([A-Z_]+)`/g))
      shown.set(name, [...(shown.get(name) ?? []), value.trim().replaceAll("`", "")])
  return shown
}

t.test("C-1665: each default in the tables is the one that the program lists", async (t) => {
  const shown = shownDefaults()
  const byName = new Map(listed().map((one) => [one.name, one]))
  t.ok(byName.size > 100)
  const others = [...byName.values()].filter(({ name, value }) => {
    const own = value === null ? ["none"] : [value.replace("/data", "<data>")]
    // A switch that is off is shown as either.
    const alike = value === "false" ? ["false", "none"] : own
    return !alike.some((one) => shown.get(name)?.includes(one))
  })
  t.same(others.map(({ name }) => name).toSorted(), [...IN_WORDS].toSorted())
})
