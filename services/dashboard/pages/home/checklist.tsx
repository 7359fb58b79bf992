import type { WholeActivityJson } from "../../../common/activity-json.ts"
import { useQuery } from "../../api/data.ts"
import type { ListedOrganization } from "../../api/directory.ts"
import { usersOf } from "../../api/people.ts"
import { Badge, Skeleton } from "../../ui/basics.tsx"
import { Icon } from "../../ui/icon.tsx"
import { checks, type Proxy } from "./checks.ts"

/** The checks of the configuration, each with the page where it is changed. */
export function Checklist({
  organization,
  signatures,
}: {
  organization: ListedOrganization | undefined
  signatures: readonly WholeActivityJson[]
}) {
  const proxy = useQuery<{ authProxyConfig: Proxy }>("get_auth_proxy_config")
  const roots = usersOf(organization?.rootQuorum.userIds ?? [])
  if (organization === undefined || roots === undefined)
    return (
      <div class="card">
        <Skeleton lines={4} />
      </div>
    )
  const items = checks(organization, roots, signatures, proxy.data?.authProxyConfig)
  return (
    <div class="card flush">
      {items.map(({ good, title, why, href, link }) => (
        <div key={title} class="check">
          <span class={good ? "tone-good" : "tone-warn"}>
            <Icon name={good ? "check" : "alert"} label={good ? "Good" : "To do"} />
          </span>
          <div>
            <b>{title}</b>
            <p class="quiet">{why}</p>
          </div>
          {good ? (
            <Badge tone="good">Good</Badge>
          ) : (
            <a class="button tight" href={href}>
              {link}
            </a>
          )}
        </div>
      ))}
    </div>
  )
}
