import { useQuery } from "../../api/data.ts"
import type { ApiKey } from "../../api/people.ts"
import { Badge } from "../../ui/basics.tsx"
import { type Allowlist, changeAllowlist, removeAllowlist } from "../settings/allowlist.ts"

/** The addresses that requests with one API key may come from. */
export function KeyAddresses({ apiKey: { apiKeyName, credential } }: { apiKey: ApiKey }) {
  const { publicKey } = credential
  const { data, error } = useQuery<{ allowlist: Allowlist }>("get_ip_allowlist", { publicKey })
  if (error) return <span class="quiet wrap">{error.message}</span>
  if (data === undefined) return <span class="skeleton cell" />
  const { rules = [], enabled = false } = data.allowlist
  const owner = { name: apiKeyName, publicKey }
  return (
    <span class="line">
      {rules.length === 0 ? (
        <span class="quiet">as the organization</span>
      ) : (
        <>
          <span class="mono wrap">{rules.map(({ cidr }) => cidr).join(", ")}</span>
          {!enabled && <Badge icon="info">Not enforced</Badge>}
        </>
      )}
      <button type="button" class="button plain tight" onClick={() => changeAllowlist(owner, data.allowlist)}>
        Change<span class="hidden-visually"> the addresses of {apiKeyName}</span>
      </button>
      {rules.length > 0 && (
        <button type="button" class="button plain tight" onClick={() => removeAllowlist(owner)}>
          Remove<span class="hidden-visually"> the addresses of {apiKeyName}</span>
        </button>
      )}
    </span>
  )
}
