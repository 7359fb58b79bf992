import { useEffect, useState } from "preact/hooks"
import { enterByLink } from "../api/enter.ts"
import { readTrust } from "../api/trust.ts"
import { Fault, Skeleton } from "../ui/basics.tsx"
import { go } from "../ui/route.ts"
import { Brand } from "../ui/shell.tsx"

/** Uses up a one-use link. Its secret stands in the fragment, which no browser sends, and leaves the address at once. */
export function EnterPage() {
  const [error, setError] = useState<Error | undefined>(undefined)
  useEffect(() => {
    const secret = location.hash.slice(1)
    history.replaceState(null, "", "/enter")
    enterByLink(secret)
      .then(readTrust)
      .then(() => go("/", { replace: true }))
      .catch((caught: unknown) => setError(caught as Error))
  }, [])
  return (
    <main class="door">
      <div>
        <Brand />
        <h1>{error ? "This link does not log in" : "Logging in"}</h1>
        {error ? (
          <>
            <Fault error={error} />
            <p class="quiet">
              <code>npx countersign dashboard</code> prints a new link, and so does each start of{" "}
              <code>npm start</code>.
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
