import { useEffect, useState } from "preact/hooks"
import { get } from "../api/client.ts"
import type { PinsJson } from "../api/config.ts"
import { choosePins, trust } from "../api/trust.ts"
import { Badge, Facts, Fault, Id, Notice, Page, Section, Skeleton } from "../ui/basics.tsx"

type State = { version: { name: string; version: string }; ready: { [part: string]: unknown } }

export function SystemPage() {
  const [state, setState] = useState<State | undefined>(undefined)
  const [error, setError] = useState<Error | undefined>(undefined)
  useEffect(() => {
    const load = async () => {
      const [version, ready] = await Promise.all([
        get<State["version"]>("/version"),
        get<State["ready"]>("/readyz"),
      ])
      setState({ version, ready })
    }
    load().catch((caught: unknown) => setError(caught as Error))
  }, [])
  return (
    <Page title="System" about="The deployment, and what this browser trusts of it.">
      <Section title="Processes">
        <div class="card">
          {error && <Fault error={error} />}
          {!error && state === undefined && <Skeleton />}
          {state && (
            <Facts
              facts={[
                ["Release", `${state.version.name} ${state.version.version}`],
                [
                  "Ready",
                  state.ready["ready"] === true ? (
                    <Badge tone="good">Ready</Badge>
                  ) : (
                    <Badge tone="bad">Not ready</Badge>
                  ),
                ],
              ]}
            />
          )}
        </div>
      </Section>
      <Section title="Pins">
        <Pins />
      </Section>
    </Page>
  )
}

const SOURCES = {
  served: ["good", "The host of this page gave these pins, and the API states the same."],
  chosen: ["good", "You compared these pins in this browser, and the API states the same."],
  none: [
    "warn",
    "This browser trusts no pins yet, so it checks no proofs. Compare the digest with that of the operator.",
  ],
  differ: [
    "bad",
    "The API states other pins than this browser trusts. It may be another deployment, or somebody in between.",
  ],
} as const

function Pins() {
  const { state, pins, stated } = trust.value ?? {}
  const shown = pins ?? stated
  const digest = useDigest(shown)
  const other = useDigest(state === "differ" ? stated : undefined)
  if (state === undefined)
    return (
      <div class="card">
        <Skeleton />
      </div>
    )
  const [tone, sentence] = SOURCES[state]
  return (
    <div class="card stack">
      <Notice tone={tone}>
        <p>{sentence}</p>
      </Notice>
      <Facts
        facts={[
          ["Digest", digest && <Id id={digest} whole />],
          ["Digest of the API", other && <Id id={other} whole />],
          ["Deployment", shown?.["deploymentId"] && <Id id={shown["deploymentId"]} whole />],
        ]}
      />
      <p class="quiet small">
        On the signer’s host: <code>countersign-signer pins</code>
      </p>
      {state === "none" && stated !== undefined && (
        <div>
          <button type="button" class="button primary" onClick={() => choosePins(stated)}>
            Trust these pins
          </button>
        </div>
      )}
    </div>
  )
}

function useDigest(pins: PinsJson | undefined): string | undefined {
  const [digest, setDigest] = useState<string | undefined>(undefined)
  useEffect(() => {
    const work = async () => {
      const { pinsDigest } = await import("../api/verify.ts")
      setDigest(pins && pinsDigest(pins))
    }
    void work()
  }, [pins])
  return digest
}
