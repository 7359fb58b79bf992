// Small parts that every page uses.
import type { Time } from "../../common/activity-json.ts"
import { sentenceOfFault } from "../words/faults.ts"
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { ApiFault } from "../api/client.ts"
import { exactTime, msOf, relativeTime } from "../words/time.ts"
import type { Tone } from "../words/activity.ts"
import { ExplainedBadge } from "./explained-badge.tsx"
import { badgeIcon, Icon, type IconName } from "./icon.tsx"
import { anchorOf, PageIndex } from "./page-index.tsx"
import { listAbove } from "./navigation.ts"
import { focusArrived, route } from "./route.ts"
import { toast } from "./toast.tsx"

type BadgeProps = {
  tone?: Tone | "data"
  icon?: IconName
  /** Its meaning, shown when it is pressed, where the words alone leave a question. */
  why?: ComponentChildren
  children: ComponentChildren
}

/** A state: never a colour alone. */
export function Badge({ why, ...part }: BadgeProps) {
  if (why !== undefined) return <ExplainedBadge {...part} why={why} />
  const { tone = "", icon, children } = part
  return (
    <span class={`badge ${tone}`}>
      <Icon name={icon ?? badgeIcon(tone)} />
      {children}
    </span>
  )
}

/** An id, shortened in the middle and copied by a click. */
export function Id({ id, whole = false }: { id: string; whole?: boolean }) {
  const shown =
    whole || id.length < 20 ? id : `${id.slice(0, id.startsWith("sha256:") ? 15 : 8)}…${id.slice(-6)}`
  const copy = () =>
    void navigator.clipboard?.writeText(id).then(
      () => toast("Copied"),
      () => toast("This browser does not let the page copy"),
    )
  return (
    <button type="button" class="id" title={id} onClick={copy}>
      <span class="hidden-visually">Copy </span>
      <span>{shown}</span>
      <Icon name="copy" />
    </button>
  )
}

/** A relative time, with the exact one on hover and for screen readers. */
export function Ago({ time }: { time: Time | undefined }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  const ms = time === undefined ? Number.NaN : msOf(time)
  if (Number.isNaN(ms)) return <span class="quiet">never</span>
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactTime(ms)} class="quiet">
      {relativeTime(ms, now)}
    </time>
  )
}

export function Notice({ tone = "", children }: { tone?: Tone; children: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : "note"}>
      <Icon name={tone === "good" ? "check" : tone === "" ? "info" : "alert"} />
      <div class="stack-s wrap">{children}</div>
    </div>
  )
}

/** The reason of an error, its request id, and a way on: a thing that does not exist is sought in its list. */
export function Fault({ error, retry }: { error: Error; retry?: () => void }) {
  const { reason, requestId } = error instanceof ApiFault ? error : { reason: "", requestId: "" }
  const list = reason === "RESOURCE_UNKNOWN" ? listAbove(route.value.path) : undefined
  return (
    <Notice tone="bad">
      <p class="strong">{sentenceOfFault(error)}</p>
      <p class="line small quiet">
        {reason !== "" && <span class="mono">{reason}</span>}
        {requestId !== "" && (
          <span>
            request <Id id={requestId} />
          </span>
        )}
      </p>
      {retry && (
        <div>
          {list ? (
            <a class="button tight" href={list.path}>
              Go to {list.title}
            </a>
          ) : (
            <button type="button" class="button tight" onClick={retry}>
              Try again
            </button>
          )}
        </div>
      )}
    </Notice>
  )
}

export function Empty({
  sentence,
  command,
  children,
}: {
  sentence: string
  command?: string
  children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <p>{sentence}</p>
      {children}
      {command !== undefined && (
        <p class="quiet small">
          {children ? "or in" : "In"} a terminal: <code class="wrap">{command}</code>
        </p>
      )}
    </div>
  )
}

/** A page: its heading, one sentence about it, and at most one primary action. */
export function Page(part: {
  title: string
  about?: ComponentChildren
  action?: ComponentChildren
  /** Titles of the sections of a long page, which then has links to them. */
  index?: readonly string[]
  children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${part.title} · Countersign`
  }, [part.title])
  useEffect(focusArrived, [])
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1 tabIndex={-1}>{part.title}</h1>
          {part.about !== undefined && <p>{part.about}</p>}
        </div>
        {part.action}
      </header>
      {part.index === undefined ? (
        part.children
      ) : (
        <div class="indexed">
          <PageIndex titles={part.index} />
          <div class="sections">{part.children}</div>
        </div>
      )}
    </div>
  )
}

export function Section({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <section class="section">
      <div class="spread">
        <h2 id={anchorOf(title)} tabIndex={-1}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** Skeleton of lines of text. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="stack-s" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="skeleton" style={{ width: `${90 - ((index * 23) % 45)}%` }} />
      ))}
    </div>
  )
}

/** @param part.short the values stay beside their names on a telephone */
export function Facts({
  facts,
  short = false,
}: {
  facts: readonly (readonly [name: string, value: ComponentChildren])[]
  short?: boolean
}) {
  return (
    <dl class={short ? "facts rows" : "facts"}>
      {facts
        .filter(([, value]) => value !== undefined && value !== "" && value !== null)
        .flatMap(([name, value], index) => [
          <dt key={`${index} ${name}`}>{name}</dt>,
          <dd key={`${index} ${name} `}>{value}</dd>,
        ])}
    </dl>
  )
}

/** A page whose data has not come: why, or its skeleton. */
export function Pending({
  title,
  state,
}: {
  title: string
  state: { error: Error | undefined; reload: () => void }
}) {
  return (
    <Page title={title}>
      {state.error ? (
        <Fault error={state.error} retry={state.reload} />
      ) : (
        <div class="card">
          <Skeleton lines={6} />
        </div>
      )}
    </Page>
  )
}
