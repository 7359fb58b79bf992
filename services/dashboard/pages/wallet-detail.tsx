import { useState } from "preact/hooks"
import { useQuery } from "../api/data.ts"
import { type Account, useOrganization, type Wallet } from "../api/directory.ts"
import { ACCOUNT_KINDS, accountOf, chainOfFormat } from "../words/chains.ts"
import { Ago, Empty, Facts, Fault, Id, Notice, Page, Section, Skeleton } from "../ui/basics.tsx"
import { openChange } from "../ui/change.tsx"
import { Dialog } from "../ui/dialog.tsx"
import { textOf } from "../ui/fields.tsx"
import { FromApi } from "../ui/provenance.tsx"
import { Qr } from "../ui/qr.tsx"
import { type Column, Pages, Table } from "../ui/table.tsx"
import { RowMenu } from "../ui/row-menu.tsx"
import { deleteWallet, rename } from "./wallet/acts.ts"
import { exportWallet } from "./wallet/export.tsx"
import { signMessage } from "./wallet/sign.tsx"
import { flagsOf } from "./wallets.tsx"

const LIMIT = 25

export function WalletDetail({ id }: { id: string }) {
  const organization = useOrganization()
  const wallet = organization.data?.wallets.find(({ walletId }) => walletId === id)
  const [cursors, setCursors] = useState<readonly string[]>([])
  const after = cursors.at(-1)
  const state = useQuery<{ accounts: Account[] }>("list_wallet_accounts", {
    walletId: id,
    paginationOptions: { limit: String(LIMIT + 1), ...(after !== undefined && { after }) },
  })
  if (organization.error)
    return (
      <Page title="Wallet">
        <Fault error={organization.error} retry={organization.reload} />
      </Page>
    )
  if (organization.data === undefined)
    return (
      <Page title="Wallet">
        <div class="card">
          <Skeleton />
        </div>
      </Page>
    )
  if (wallet === undefined)
    return (
      <Page title="Wallet">
        <div class="card flush">
          <Empty sentence={`There is no wallet ${id}. It may have been deleted.`}>
            <a class="button" href="/wallets">
              See all wallets
            </a>
          </Empty>
        </div>
      </Page>
    )
  const accounts = state.data?.accounts
  const turnTo = (to: number) => {
    const last = accounts?.slice(0, LIMIT).at(-1)?.walletAccountId
    setCursors(to > cursors.length && last !== undefined ? [...cursors, last] : cursors.slice(0, to))
  }
  return (
    <Page
      title={wallet.walletName}
      about={flagsOf(wallet)}
      action={<Actions wallet={wallet} accounts={accounts ?? []} />}
    >
      <Accounts wallet={wallet} state={state} page={cursors.length} turnTo={turnTo} />
      <div class="card">
        <Facts
          facts={[
            ["Created", <Ago time={wallet.createdAt} />],
            ["Id", <Id id={wallet.walletId} whole />],
          ]}
        />
      </div>
    </Page>
  )
}

type AccountsProps = {
  wallet: Wallet
  state: ReturnType<typeof useQuery<{ accounts: Account[] }>>
  page: number
  turnTo: (page: number) => void
}

function Accounts({ wallet, state, page, turnTo }: AccountsProps) {
  const [shown, setShown] = useState<Account | undefined>(undefined)
  const accounts = state.data?.accounts
  const columns: readonly Column<Account>[] = [
    {
      title: "Account",
      cell: (account) => (
        <button type="button" class="button plain tight" onClick={() => setShown(account)}>
          {account.name ?? chainOfFormat(account.addressFormat)}
        </button>
      ),
    },
    { title: "Address", cell: ({ address }) => <Id id={address} /> },
    { title: "Path", wide: true, cell: ({ path }) => <span class="mono">{path}</span> },
  ]
  return (
    <>
      <Section title="Accounts" aside={<FromApi />}>
        <Table
          label="Accounts"
          columns={columns}
          rows={accounts?.slice(0, LIMIT)}
          state={state}
          keyOf={({ walletAccountId }) => walletAccountId}
          empty={
            <Empty sentence="This wallet has no account.">
              <button type="button" class="button" onClick={() => derive(wallet, 0)}>
                Derive account
              </button>
            </Empty>
          }
          foot={
            <Pages
              page={page}
              hasNext={(accounts?.length ?? 0) > LIMIT}
              onPage={turnTo}
              shown={`Page ${page + 1}`}
            />
          }
        />
      </Section>
      {shown && <AccountDialog account={shown} wallet={wallet} close={() => setShown(undefined)} />}
    </>
  )
}

function AccountDialog({ account, wallet, close }: { account: Account; wallet: Wallet; close: () => void }) {
  return (
    <Dialog
      title={account.name ?? `${wallet.walletName}, ${chainOfFormat(account.addressFormat)}`}
      onClose={close}
    >
      <div class="dialog-body">
        <Qr text={account.address} />
        <Facts
          facts={[
            ["Address", <Id id={account.address} whole />],
            ["Path", <span class="mono">{account.path}</span>],
            ["Curve", account.curve.replace("CURVE_", "").toLowerCase()],
            ["Public key", account.publicKey && <Id id={account.publicKey} whole />],
          ]}
        />
        <Notice>
          <p>
            Compare the address with the proof of its derivation before you send much to it: the API tier
            shows this page.
          </p>
        </Notice>
      </div>
    </Dialog>
  )
}

function Actions({ wallet, accounts }: { wallet: Wallet; accounts: readonly Account[] }) {
  return (
    <span class="line">
      <button
        type="button"
        class="button primary"
        disabled={accounts.length === 0}
        onClick={() => signMessage(wallet, accounts)}
      >
        Sign message
      </button>
      <button type="button" class="button" onClick={() => derive(wallet, accounts.length)}>
        Derive account
      </button>
      <RowMenu
        of={wallet.walletName}
        acts={[
          { verb: "Rename", act: () => rename(wallet) },
          { verb: "Export", act: () => void exportWallet(wallet), grave: true },
          { verb: "Delete", act: () => deleteWallet(wallet), grave: true },
        ]}
      />
    </span>
  )
}

function derive({ walletId }: Wallet, count: number): void {
  openChange({
    title: "Derive account",
    verb: "Derive account",
    type: "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
    fields: [
      {
        name: "kind",
        label: "Chain",
        kind: "select",
        path: "accounts",
        options: ACCOUNT_KINDS.map(({ name }) => ({ value: name, label: name })),
      },
      {
        name: "index",
        label: "Index",
        kind: "number",
        path: "accounts[0].path",
        initial: String(count),
        hint: "The account’s number in the derivation path.",
      },
      { name: "name", label: "Name (optional)", path: "accounts[0].name" },
    ],
    parameters: (values) => ({
      walletId,
      accounts: [accountOf(textOf(values, "kind"), Number(textOf(values, "index")), textOf(values, "name"))],
    }),
  })
}
