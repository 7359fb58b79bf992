import { useEffect, useState } from "preact/hooks"
import { get, getReadiness, type Readiness as Ready } from "../../api/client.ts"
import { Badge, Facts, Fault, Section, Skeleton } from "../../ui/basics.tsx"

type Version = { name: string; version: string }

/** Parts of the API's readiness in the order in which they depend on each other. One that is new here has its own name. */
const PARTS: { readonly [part: string]: string } = {
  process: "API",
  database: "Database",
  signer: "Signer",
  recovery: "Recovery",
  fetcher: "Fetcher",
}

/** Parts that most requests do without: a fault of theirs leaves the API ready. */
const OPTIONAL = new Set(["fetcher"])

const READ_AGAIN_MS = 3000

/** The release, and each part of the API with what is wrong with it. Read again while the page is open. */
export function Readiness() {
  const version = useLoaded(() => get<Version>("/version"))
  const ready = useLoaded(getReadiness)
  useEffect(() => {
    if ((ready.data ?? ready.error) === undefined) return undefined
    const timer = setTimeout(ready.load, READ_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [ready.data, ready.error])
  return (
    <Section
      title="Processes"
      aside={
        <button type="button" class="button tight" onClick={ready.load}>
          Check again
        </button>
      }
    >
      <div class="card stack">
        {version.data && <Facts facts={[["Release", `${version.data.name} ${version.data.version}`]]} />}
        {ready.error && <Fault error={ready.error} />}
        {ready.data === undefined && ready.error === undefined && <Skeleton />}
        {ready.data && <Parts ready={ready.data} />}
      </div>
    </Section>
  )
}

function Parts({ ready: { ready: isReady, ...parts } }: { ready: Ready }) {
  return (
    <div role="status" aria-label="Readiness">
      <Facts
        facts={[
          ["Requests", isReady ? <Badge tone="good">Served</Badge> : <Badge tone="bad">Not served</Badge>],
          ...orderOf(parts).map(
            (part) => [PARTS[part] ?? part, <Part part={part} state={parts[part]} />] as const,
          ),
        ]}
      />
    </div>
  )
}

const orderOf = (parts: object): string[] => {
  const known = Object.keys(PARTS).filter((part) => part in parts)
  return [...known, ...Object.keys(parts).filter((part) => !known.includes(part))]
}

function Part({ part, state }: { part: string; state: unknown }) {
  if (state === "ok") return <Badge tone="good">Ready</Badge>
  const fault = typeof state === "string" ? state : JSON.stringify(state)
  return (
    <span class="line">
      {OPTIONAL.has(part) ? <Badge tone="warn">Not ready</Badge> : <Badge tone="bad">Not ready</Badge>}
      <span class="wrap">{fault}</span>
    </span>
  )
}

/** A page of the API without a stamp: it is no query, so nothing of it is kept. */
function useLoaded<Reply>(read: () => Promise<Reply>) {
  const [state, setState] = useState<{ data?: Reply; error?: Error }>({})
  const load = () => {
    read().then(
      (data) => setState({ data }),
      (error: unknown) => setState({ error: error instanceof Error ? error : new Error(String(error)) }),
    )
  }
  useEffect(load, [])
  return { ...state, load }
}
