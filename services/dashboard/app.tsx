import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { login, restoreLogin } from "./api/login.ts"
import { readTrust } from "./api/trust.ts"
import { EnterPage } from "./pages/enter.tsx"
import { LoginPage } from "./pages/login.tsx"
import { ChangeDialogs } from "./ui/change.tsx"
import { Empty, Fault, Page, Skeleton } from "./ui/basics.tsx"
import { Keys } from "./ui/keys.tsx"
import { followLinks, route } from "./ui/route.ts"
import { Shell } from "./ui/shell.tsx"
import { applyTheme } from "./ui/theme.tsx"
import { Toasts } from "./ui/toast.tsx"

type PageOf = ComponentType<{ id: string }>
type Load = () => Promise<PageOf>

/**
 * Pages by the first segment of the path. Pages with a second segment show one object, pages with a third segment a part of it.
 * Loaded when opened.
 */
const PAGES: { readonly [segment: string]: { list: Load; one?: Load; part?: Load } } = {
  "": { list: async () => (await import("./pages/home.tsx")).HomePage },
  activity: {
    list: async () => (await import("./pages/activity.tsx")).ActivityPage,
    one: async () => (await import("./pages/activity-detail.tsx")).ActivityDetail,
  },
  approvals: {
    list: async () => (await import("./pages/approvals.tsx")).ApprovalsPage,
    one: async () => (await import("./pages/approvals.tsx")).ApprovalDetail,
  },
  wallets: {
    list: async () => (await import("./pages/wallets.tsx")).WalletsPage,
    one: async () => (await import("./pages/wallet-detail.tsx")).WalletDetail,
  },
  people: {
    list: async () => (await import("./pages/people.tsx")).PeoplePage,
    one: async () => (await import("./pages/person.tsx")).PersonPage,
  },
  policies: {
    list: async () => (await import("./pages/policies.tsx")).PoliciesPage,
    one: async () => (await import("./pages/policy-edit.tsx")).PolicyPage,
  },
  organizations: {
    list: async () => (await import("./pages/organizations.tsx")).OrganizationsPage,
    one: async () => (await import("./pages/organization-detail.tsx")).OrganizationDetail,
  },
  login: {
    list: async () => (await import("./pages/auth/page.tsx")).AuthPage,
    one: async () => (await import("./pages/auth/page.tsx")).AuthPage,
  },
  webhooks: {
    list: async () => (await import("./pages/webhooks/page.tsx")).WebhooksPage,
    one: async () => (await import("./pages/webhooks/endpoint.tsx")).EndpointPage,
    part: async () => (await import("./pages/webhooks/delivery.tsx")).DeliveryPage,
  },
  settings: { list: async () => (await import("./pages/settings/page.tsx")).SettingsPage },
  console: { list: async () => (await import("./pages/console.tsx")).ConsolePage },
  system: { list: async () => (await import("./pages/system/page.tsx")).SystemPage },
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

/** Pages that were loaded: going back to one shows it at once. */
const loaded = new Map<Load, PageOf>()

function Current({ path }: { path: string }) {
  const [, segment = "", one = "", part = ""] = path.split("/")
  const pages = PAGES[segment]
  const load = one === "" ? pages?.list : part === "" ? pages?.one : pages?.part
  if (load === undefined)
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
  return <Loaded key={path} load={load} id={decodeURIComponent(part || one)} />
}

function Loaded({ load, id }: { load: Load; id: string }) {
  const [isFailed, setFailed] = useState(false)
  const [, setLoaded] = useState(loaded.has(load))
  useEffect(() => {
    if (loaded.has(load)) return
    const open = async () => {
      loaded.set(load, await load())
      setLoaded(true)
    }
    open().catch(() => setFailed(true))
  }, [load])
  const Shown = loaded.get(load)
  if (Shown) return <Shown id={id} />
  return (
    <div class="page">
      {isFailed ? (
        <Fault
          error={
            new Error("The host of this page did not send a part of it. It may have a newer build: reload.")
          }
          retry={() => location.reload()}
        />
      ) : (
        <Skeleton lines={6} />
      )}
    </div>
  )
}
