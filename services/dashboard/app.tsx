import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { login, restoreLogin } from "./api/login.ts"
import { readTrust } from "./api/trust.ts"
import { ActivityPage } from "./pages/activity.tsx"
import { ActivityDetail } from "./pages/activity-detail.tsx"
import { ApprovalDetail, ApprovalsPage } from "./pages/approvals.tsx"
import { EnterPage } from "./pages/enter.tsx"
import { HomePage } from "./pages/home.tsx"
import { LoginPage } from "./pages/login.tsx"
import { PeoplePage } from "./pages/people.tsx"
import { PersonPage } from "./pages/person.tsx"
import { PoliciesPage } from "./pages/policies.tsx"
import { PolicyPage } from "./pages/policy-edit.tsx"
import { SystemPage } from "./pages/system.tsx"
import { WalletDetail } from "./pages/wallet-detail.tsx"
import { WalletsPage } from "./pages/wallets.tsx"
import { ChangeDialogs } from "./ui/change.tsx"
import { Empty, Fault, Page, Skeleton } from "./ui/basics.tsx"
import { Keys } from "./ui/palette.tsx"
import { followLinks, route } from "./ui/route.ts"
import { Shell } from "./ui/shell.tsx"
import { applyTheme } from "./ui/theme.tsx"
import { Toasts } from "./ui/toast.tsx"

type PageOf = ComponentType<{ id: string }>

/** Pages by the first segment of the path; those with the second segment are about one thing. */
const PAGES: { readonly [segment: string]: { list: PageOf; one?: PageOf } } = {
  "": { list: HomePage },
  activity: { list: ActivityPage, one: ActivityDetail },
  approvals: { list: ApprovalsPage, one: ApprovalDetail },
  wallets: { list: WalletsPage, one: WalletDetail },
  people: { list: PeoplePage, one: PersonPage },
  policies: { list: PoliciesPage, one: PolicyPage },
  system: { list: SystemPage },
}

export function App() {
  const [error, setError] = useState<Error | undefined>(undefined)
  useEffect(() => {
    followLinks()
    applyTheme()
    restoreLogin()
      .then(readTrust)
      .catch((caught: unknown) => setError(caught as Error))
  }, [])
  const { path } = route.value
  if (path === "/enter") return <EnterPage />
  if (error)
    return (
      <div class="door">
        <div>
          <Fault error={error} retry={() => location.reload()} />
        </div>
      </div>
    )
  if (login.value === undefined)
    return (
      <div class="door">
        <div>
          <Skeleton />
        </div>
      </div>
    )
  if (login.value === null) return <LoginPage />
  return (
    <>
      <Shell>
        <Current path={path} />
      </Shell>
      <Keys />
      <ChangeDialogs />
      <Toasts />
    </>
  )
}

function Current({ path }: { path: string }) {
  const [, segment = "", id = ""] = path.split("/")
  const pages = PAGES[segment]
  const Shown = id === "" ? pages?.list : pages?.one
  if (Shown === undefined)
    return (
      <Page title="No such page">
        <div class="card flush">
          <Empty sentence={`There is nothing at ${path}.`}>
            <a class="button" href="/">
              Go home
            </a>
          </Empty>
        </div>
      </Page>
    )
  return <Shown key={`${segment}/${id}`} id={decodeURIComponent(id)} />
}
