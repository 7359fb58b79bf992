// Cards of the home page that count activities.
import type { ComponentChildren } from "preact"
import type { WholeActivityJson } from "../../../common/activity-json.ts"
import type { Loaded } from "../../api/data.ts"
import { Bars } from "../../ui/bars.tsx"
import { Fault, Skeleton } from "../../ui/basics.tsx"
import { DayPlot } from "../../ui/plot.tsx"
import { msOf } from "../../words/time.ts"

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

/** Activities by day. */
export function Figure({
  title,
  activities,
  href,
}: {
  title: string
  activities: WholeActivityJson[] | undefined
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

type Activities = { activities: WholeActivityJson[] }

/** Activities of one list, counted by a property of each. */
export function Breakdown(part: {
  title: string
  state: Loaded<Activities>
  groupOf: (activity: WholeActivityJson) => string
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

/** The code of the closed list of docs/ERRORS.md. Denials are kept in the form that published clients read, without it. */
export function reasonOf({ failure }: WholeActivityJson): string {
  const details = failure?.details ?? []
  const reason = details.map((detail) => detail["reason"]).find((one) => typeof one === "string")
  const isDenial = details.some((detail) => String(detail["@type"]).endsWith(".PolicyEnginePermissionError"))
  return reason ?? (isDenial ? "PERMISSION_DENIED" : "no reason")
}

const HOUR_MS = 3_600_000

/** Waiting activities by the time they have waited. */
export function ageOf({ createdAt }: WholeActivityJson): string {
  const hours = (Date.now() - msOf(createdAt)) / HOUR_MS
  return hours < 1
    ? "under an hour"
    : hours < 6
      ? "1 to 6 hours"
      : hours < 18
        ? "6 to 18 hours"
        : "lapse soon"
}
