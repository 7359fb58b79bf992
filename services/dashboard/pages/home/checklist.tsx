import type { WholeActivityJson } from "../../../common/activity-json.ts"
import { useQuery } from "../../api/data.ts"
import type { ListedOrganization } from "../../api/directory.ts"
import { usersOf } from "../../api/people.ts"
import { Skeleton } from "../../ui/basics.tsx"
import { Icon } from "../../ui/icon.tsx"
import { checks, type Proxy, type SecurityCheck } from "./checks.ts"

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
  const [done, open] = [items.filter(({ good }) => good), items.filter(({ good }) => !good)]
  return (
    <div class="card flush">
      {open.map((item) => (
        <Item key={item.title} item={item} />
      ))}
      {done.length > 0 && (
        <details class="done">
          <summary>
            <span class="tone-good">
              <Icon name="check" />
            </span>{" "}
            {open.length === 0
              ? "All checks are"
              : `${done.length} of ${items.length} checks ${done.length === 1 ? "is" : "are"}`}{" "}
            good
          </summary>
          {done.map((item) => (
            <Item key={item.title} item={item} />
          ))}
        </details>
      )}
    </div>
  )
}

function Item({ item: { good, title, why, href, link } }: { item: SecurityCheck }) {
  return (
    <div class="check">
      <span class={good ? "tone-good" : "tone-warn"}>
        <Icon name={good ? "check" : "alert"} label={good ? "Good" : "To do"} />
      </span>
      <div>
        <b>{title}</b>
        <p class="quiet">{why}</p>
      </div>
      {!good && (
        <a class="button tight" href={href}>
          {link}
        </a>
      )}
    </div>
  )
}
