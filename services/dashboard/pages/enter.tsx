import { useEffect, useState } from "preact/hooks"
import { enterByLink, organizationOfLink } from "../api/enter.ts"
import { lastOrganization } from "../api/known-organizations.ts"
import { readTrust } from "../api/trust.ts"
import { Fault, Notice, Skeleton } from "../ui/basics.tsx"
import { go } from "../ui/route.ts"
import { Brand } from "../ui/shell.tsx"

/**
 * Uses up a one-use link. Its secret is in the fragment, which browsers do not send, and is removed from the address at once.
 * Anybody can send a link to their own organization. If the last login in this browser was to another organization, the user
 * must confirm the link.
 */
export function EnterPage() {
  const [secret] = useState(() => location.hash.slice(1))
  const organizationId = organizationOfLink(secret)
  const last = lastOrganization()
  const isForeign = organizationId !== undefined && last !== "" && last.toLowerCase() !== organizationId
  const [isWanted, setWanted] = useState(!isForeign)
  const [error, setError] = useState<Error | undefined>(undefined)
  useEffect(() => history.replaceState(null, "", "/enter"), [])
  useEffect(() => {
    if (!isWanted) return
    enterByLink(secret)
      .then(readTrust)
      .then(() => go("/", { replace: true }))
      .catch((caught: unknown) => setError(caught as Error))
  }, [isWanted])
  if (!isWanted && organizationId !== undefined)
    return <Foreign organizationId={organizationId} last={last} enter={() => setWanted(true)} />
  return (
    <main class="door">
      <div>
        <Brand />
        <h1>{error ? "This link does not log in" : "Logging in"}</h1>
        {error ? (
          <>
            <Fault error={error} />
            <p class="quiet">
              While <code>npm start</code> runs, <code>npx countersign dev link</code> prints a new link.
              Elsewhere <code>npx countersign dashboard</code> does.
            </p>
            <div>
              <a class="button" href="/">
                Log in otherwise
              </a>
            </div>
          </>
        ) : (
          <Skeleton />
        )}
      </div>
    </main>
  )
}

function Foreign(part: { organizationId: string; last: string; enter: () => void }) {
  return (
    <main class="door">
      <div>
        <Brand />
        <h1>Another organization</h1>
        <Notice tone="warn">
          <p class="strong">This link logs in to an organization that you were not in before.</p>
          <p>
            Go on only if you made the link. Whoever made it owns what you create there: a wallet, its
            addresses, and what is paid to them.
          </p>
        </Notice>
        <p class="small">
          <span class="quiet">The link:</span> <code class="wrap">{part.organizationId}</code>
          <br />
          <span class="quiet">Before:</span> <code class="wrap">{part.last}</code>
        </p>
        <div class="line">
          <a class="button primary" href="/">
            Do not use the link
          </a>
          <button type="button" class="button" onClick={part.enter}>
            Log in to the other organization
          </button>
        </div>
      </div>
    </main>
  )
}
