import type { ComponentChildren } from "preact"
import type { Activity } from "../api/client.ts"
import { type Loaded, useQuery } from "../api/data.ts"
import { type Organization, useOrganization } from "../api/directory.ts"
import { requireLogin } from "../api/login.ts"
import { isBareDigest, WAITING } from "../words/activity.ts"
import { count, msOf } from "../words/time.ts"
import { Badge, Empty, Fault, Page, Section, Skeleton } from "../ui/basics.tsx"
import { Bars } from "../ui/bars.tsx"
import { Icon } from "../ui/icon.tsx"
import { DayPlot } from "../ui/plot.tsx"
import { FromApi } from "../ui/provenance.tsx"
import { ActivityTable } from "./activity.tsx"

const SIGNING = [
  "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
  "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS",
  "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
  "ACTIVITY_TYPE_ETH_SEND_TRANSACTION",
  "ACTIVITY_TYPE_SOL_SEND_TRANSACTION",
]

export function HomePage() {
  const { organizationName, username } = requireLogin()
  const organization = useOrganization()
  const signatures = useQuery<{ activities: Activity[] }>("list_activities", {
    filterByType: SIGNING,
    paginationOptions: { limit: "100" },
  })
  const waiting = useQuery<{ activities: Activity[] }>("list_activities", {
    filterByStatus: WAITING,
    paginationOptions: { limit: "100" },
  })
  const refused = useQuery<{ activities: Activity[] }>("list_activities", {
    filterByStatus: ["ACTIVITY_STATUS_FAILED"],
    paginationOptions: { limit: "100" },
  })
  const mine = waiting.data?.activities.filter(({ canApprove }) => canApprove)
  return (
    <Page title={organizationName} about={`You are ${username}.`} action={<FromApi />}>
      <div class="grid">
        <Figure
          title="Signatures"
          activities={signatures.data?.activities}
          href="/activity?type=ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
        />
        <Figure
          title="Refusals"
          activities={refused.data?.activities}
          href="/activity?status=ACTIVITY_STATUS_FAILED"
        />
      </div>
      <div class="grid">
        <Breakdown
          title="Approvals waiting"
          state={waiting}
          groupOf={ageOf}
          none="Nothing waits for anybody."
          href="/approvals"
        />
        <Breakdown
          title="Refusals by reason"
          state={refused}
          groupOf={reasonOf}
          none="Nothing was refused."
          href="/activity?status=ACTIVITY_STATUS_FAILED"
        />
      </div>
      <Section title="Your turn" aside={<a href="/approvals">All approvals</a>}>
        <ActivityTable
          to="approvals"
          rows={mine}
          state={waiting}
          empty={<Empty sentence="Nothing waits for your vote." />}
        />
      </Section>
      <Section title="Safety">
        {organization.error ? (
          <Fault error={organization.error} retry={organization.reload} />
        ) : (
          <Checklist organization={organization.data} signatures={signatures.data?.activities ?? []} />
        )}
      </Section>
    </Page>
  )
}

/** A card with a heading, and a link to the list behind it. */
function Card({ title, href, children }: { title: string; href: string; children: ComponentChildren }) {
  return (
    <section class="card stack">
      <div class="spread">
        <h2>{title}</h2>
        <a href={href} aria-label={`Show ${title.toLowerCase()}`}>
          Show
        </a>
      </div>
      {children}
    </section>
  )
}

function Figure({
  title,
  activities,
  href,
}: {
  title: string
  activities: Activity[] | undefined
  href: string
}) {
  return (
    <Card title={title} href={href}>
      {activities === undefined ? (
        <Skeleton />
      ) : (
        <DayPlot
          label={title}
          times={activities.map(({ createdAt }) => createdAt)}
          isWhole={activities.length < 100}
        />
      )}
    </Card>
  )
}

type Activities = { activities: Activity[] }

/** Activities of one list, counted by a property of each. */
function Breakdown(part: {
  title: string
  state: Loaded<Activities>
  groupOf: (activity: Activity) => string
  none: string
  href: string
}) {
  const { title, state, groupOf, none, href } = part
  const activities = state.data?.activities
  const numbers = new Map<string, number>()
  for (const activity of activities ?? [])
    numbers.set(groupOf(activity), (numbers.get(groupOf(activity)) ?? 0) + 1)
  return (
    <Card title={title} href={href}>
      {state.error ? (
        <Fault error={state.error} retry={state.reload} />
      ) : activities === undefined ? (
        <Skeleton />
      ) : numbers.size === 0 ? (
        <p class="quiet">{none}</p>
      ) : (
        <Bars label={title} numbers={numbers} />
      )}
      {activities?.length === 100 && <p class="quiet small">Of the last 100.</p>}
    </Card>
  )
}

/** The code of the closed list of docs/ERRORS.md. */
function reasonOf({ failure }: Activity): string {
  const reasons = (failure?.details ?? []).map((detail) => detail["reason"])
  return reasons.find((reason) => typeof reason === "string") ?? "no reason"
}

const HOUR_MS = 3_600_000

function ageOf({ createdAt }: Activity): string {
  const hours = (Date.now() - msOf(createdAt)) / HOUR_MS
  return hours < 1
    ? "under an hour"
    : hours < 6
      ? "1 to 6 hours"
      : hours < 18
        ? "6 to 18 hours"
        : "lapse soon"
}

type Item = { good: boolean; title: string; why: ComponentChildren; href: string; link: string }

function Checklist({
  organization,
  signatures,
}: {
  organization: Organization | undefined
  signatures: readonly Activity[]
}) {
  const proxy = useQuery<{ authProxyConfig: { enabled: boolean; settings?: { allowedOrigins?: string[] } } }>(
    "get_auth_proxy_config",
  )
  if (organization === undefined)
    return (
      <div class="card">
        <Skeleton lines={4} />
      </div>
    )
  const items = checks(organization, signatures, proxy.data?.authProxyConfig)
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

/** Sessions and expiring keys are no way in after a loss. */
const isLasting = ({ expirationSeconds }: { expirationSeconds?: string }) => expirationSeconds === undefined

type Proxy = { enabled: boolean; settings?: { allowedOrigins?: string[] } }

function checks(
  { rootQuorum, users, policies, features }: Organization,
  signatures: readonly Activity[],
  proxy: Proxy | undefined,
): Item[] {
  const { threshold, userIds } = rootQuorum
  const roots = users.filter(({ userId }) => userIds.includes(userId))
  const single = roots.filter(
    ({ authenticators, apiKeys, oauthProviders }) =>
      authenticators.length + apiKeys.filter(isLasting).length + oauthProviders.length < 2,
  )
  const origins = proxy?.settings?.allowedOrigins ?? []
  const isOpen = proxy?.enabled === true && (origins.length === 0 || origins.includes("*"))
  const blind = signatures.filter(({ intent }) => isBareDigest(Object.values(intent)[0] ?? {}))
  const denies = policies.filter(({ effect }) => effect === "EFFECT_DENY").length
  const strict = features.some(({ name }) => name === "FEATURE_NAME_STRICT_DENY")
  return [
    {
      good: threshold > 1,
      title: "The root quorum needs more than one person",
      why:
        threshold > 1
          ? `${threshold} of ${userIds.length} have to agree.`
          : "One user can change everything alone, past every policy.",
      href: "/people",
      link: "Change the quorum",
    },
    {
      good: userIds.length > threshold,
      title: "Losing one root user is survivable",
      why: `${count(userIds.length, "root user")}, threshold ${threshold}: ${userIds.length > threshold ? `${userIds.length - threshold} may be lost` : "if one is lost, nobody can restore the quorum"}.`,
      href: "/people",
      link: "Add a root user",
    },
    {
      good: single.length === 0,
      title: "Root users have a second way in",
      why:
        single.length === 0
          ? "Each has at least two credentials."
          : `${single.map(({ userName }) => userName).join(", ")} would be locked out with one lost credential.`,
      href: "/people",
      link: "Add a credential",
    },
    {
      good: !isOpen,
      title: "Login pages are limited to your origins",
      why: isOpen
        ? "The auth proxy is on and takes requests from pages of any origin."
        : "The auth proxy is off, or its origins are listed.",
      href: "/login",
      link: "List the origins",
    },
    {
      good: denies === 0 || strict,
      title: "DENY policies that cannot be evaluated deny",
      why:
        denies === 0
          ? "There is no DENY policy."
          : strict
            ? "FEATURE_NAME_STRICT_DENY is set."
            : "A DENY policy with an error in its condition does not deny. Set FEATURE_NAME_STRICT_DENY.",
      href: "/settings",
      link: "Set the feature",
    },
    {
      good: blind.length === 0,
      title: "Nobody signs bare digests",
      why:
        blind.length === 0
          ? "No recent signature was made blindly."
          : `${count(blind.length, "recent signature")} of a bare digest: no policy and no approver saw what it was.`,
      href: "/activity?type=ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      link: "Show them",
    },
  ]
}
