import { useOrganization, type Wallet } from "../api/directory.ts"
import { sealImport } from "../api/bundle.ts"
import { activityBody, submit } from "../api/client.ts"
import { requireLogin } from "../api/login.ts"
import { ACCOUNT_KINDS, accountOf } from "../words/chains.ts"
import { Ago, Empty, Id, Notice, Page, Section } from "../ui/basics.tsx"
import { openChange } from "../ui/change.tsx"
import { ExplainedBadge } from "../ui/explained-badge.tsx"
import { type FormField, manyOf, textOf } from "../ui/fields.tsx"
import { FromApi } from "../ui/provenance.tsx"
import { type Column, Table } from "../ui/table.tsx"

const kinds = ACCOUNT_KINDS.map(({ name }) => ({ value: name, label: name }))

const NAME: FormField = { name: "walletName", label: "Name", placeholder: "Treasury" }
const ACCOUNTS: FormField = {
  name: "accounts",
  label: "First accounts",
  kind: "many",
  options: kinds,
  initial: ["Ethereum"],
}

function createWallet(): void {
  openChange({
    title: "Create wallet",
    verb: "Create wallet",
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    fields: [
      NAME,
      ACCOUNTS,
      {
        name: "mnemonicLength",
        label: "Words of the mnemonic",
        kind: "select",
        options: ["12", "24"].map((value) => ({ value, label: value })),
        hint: "Nobody sees it. An export shows it, sealed to the browser that asks.",
      },
    ],
    parameters: (values) => ({
      walletName: textOf(values, "walletName"),
      accounts: manyOf(values, "accounts").map((kind) => accountOf(kind, 0)),
      mnemonicLength: Number(textOf(values, "mnemonicLength")),
    }),
  })
}

/** Asks for an import key first: the mnemonic is sealed to it before anything shows it. */
function importWallet(): void {
  openChange({
    title: "Import wallet",
    verb: "Import wallet",
    type: "ACTIVITY_TYPE_IMPORT_WALLET",
    intro: (
      <Notice>
        <p>
          Words and checksum are checked in this browser, and the mnemonic is sealed to the signer. Review
          then makes an import key, which is an activity too.
        </p>
      </Notice>
    ),
    fields: [
      NAME,
      {
        name: "mnemonic",
        label: "Mnemonic",
        kind: "password",
        path: "encryptedBundle",
        hint: "12, 15, 18, 21 or 24 English words with blanks between them.",
      },
      ACCOUNTS,
    ],
    parameters: async (values) => {
      const { readMnemonic } = await import("../api/mnemonic.ts")
      const mnemonic = readMnemonic(textOf(values, "mnemonic"), "encryptedBundle")
      const { organizationId, userId } = requireLogin()
      const body = activityBody("ACTIVITY_TYPE_INIT_IMPORT_WALLET", { userId }, organizationId)
      const { result } = await submit("init_import_wallet", body)
      const bundle = result["initImportWalletResult"]?.["importBundle"]
      if (typeof bundle !== "string") throw new Error("the import key waits for approval: finish that first")
      return {
        userId,
        walletName: textOf(values, "walletName"),
        encryptedBundle: await sealImport(bundle, mnemonic),
        accounts: manyOf(values, "accounts").map((kind) => accountOf(kind, 0)),
      }
    },
  })
}

export function flagsOf({ exported, imported }: Pick<Wallet, "exported" | "imported">) {
  return (
    <span class="chips">
      {imported && (
        <ExplainedBadge
          tone="warn"
          icon="alert"
          why="The mnemonic was made elsewhere: whoever has it there can use the accounts past all policies."
        >
          Imported
        </ExplainedBadge>
      )}
      {exported && (
        <ExplainedBadge
          tone="warn"
          icon="alert"
          why="The mnemonic was given out: whoever has it can use the accounts past all policies."
        >
          Exported
        </ExplainedBadge>
      )}
      {!imported && !exported && (
        <ExplainedBadge
          tone="good"
          why="The signer made the mnemonic, and has never given it out. Without the signer or its backups it is lost."
        >
          Never left the signer
        </ExplainedBadge>
      )}
    </span>
  )
}

export function WalletsPage() {
  const state = useOrganization()
  const wallets = state.data?.wallets.toReversed()
  const keys = state.data?.privateKeys ?? []
  const columns: readonly Column<Wallet>[] = [
    { title: "Name", cell: ({ walletId, walletName }) => <a href={`/wallets/${walletId}`}>{walletName}</a> },
    { title: "Secret", cell: flagsOf },
    { title: "Id", wide: true, cell: ({ walletId }) => <Id id={walletId} /> },
    { title: "Created", wide: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  ]
  return (
    <Page
      title="Wallets"
      about="Mnemonics live in the signer alone. Accounts are derived from them."
      action={
        <span class="line">
          <button type="button" class="button" onClick={importWallet}>
            Import
          </button>
          <button type="button" class="button primary" onClick={createWallet}>
            Create wallet
          </button>
        </span>
      }
    >
      <Table
        label="Wallets"
        columns={columns}
        rows={wallets}
        state={state}
        keyOf={({ walletId }) => walletId}
        empty={
          <Empty sentence="There is no wallet yet." command="countersign request create_wallet">
            <button type="button" class="button" onClick={createWallet}>
              Create wallet
            </button>
          </Empty>
        }
      />
      {keys.length > 0 && (
        <Section title="Private keys" aside={<FromApi />}>
          <Table
            label="Private keys"
            columns={[
              { title: "Name", cell: ({ privateKeyName }) => <b>{privateKeyName}</b> },
              {
                title: "Address",
                cell: ({ addresses }) => (addresses[0] ? <Id id={addresses[0].address} /> : "none"),
              },
              { title: "Id", wide: true, cell: ({ privateKeyId }) => <Id id={privateKeyId} /> },
            ]}
            rows={keys}
            state={state}
            keyOf={({ privateKeyId }) => privateKeyId}
            empty={null}
          />
        </Section>
      )}
    </Page>
  )
}
