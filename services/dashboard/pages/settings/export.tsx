import { useState } from "preact/hooks"
import { ApiFault, query } from "../../api/client.ts"
import { requireLogin } from "../../api/login.ts"
import { Fault, Section } from "../../ui/basics.tsx"

/** The queries whose replies together are the configuration. */
const PARTS = [
  "get_organization",
  "get_organization_configs",
  "get_auth_proxy_config",
  "get_session_profiles",
  "get_ip_allowlist",
  "list_email_templates",
  "list_oauth2_credentials",
  "list_smart_contract_interfaces",
  "list_velocity_controls",
  "list_webhook_endpoints",
] as const

/** A file with the organization's configuration as the API states it. */
export function Export() {
  const [error, setError] = useState<Error | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const parts = await Promise.all(PARTS.map(async (part) => [part, await read(part)] as const))
      download(
        `${requireLogin().organizationId}.json`,
        JSON.stringify(Object.fromEntries(parts), undefined, 2),
      )
    } catch (caught) {
      setError(caught as Error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Section title="Export">
      <div class="card stack">
        <p>
          Users, policies, tags, quorum, features, login settings, templates, profiles, addresses and
          endpoints, as one JSON file. It has no key and no secret in clear.
        </p>
        <p class="quiet small">
          The API tier states what is in it. The signer keeps the signed document and shows it to nobody.
        </p>
        {error && <Fault error={error} retry={() => void save()} />}
        <div>
          <button type="button" class="button" disabled={busy} onClick={() => void save()}>
            {busy ? "Reading…" : "Export the configuration"}
          </button>
        </div>
      </div>
    </Section>
  )
}

/** A reply; null for what the organization does not have. */
async function read(path: string): Promise<unknown> {
  try {
    return await query(path)
  } catch (error) {
    if (error instanceof ApiFault && error.status === 404) return null
    throw error
  }
}

function download(name: string, text: string): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
