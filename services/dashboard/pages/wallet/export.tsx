// The mnemonic of a wallet, opened in this browser.
import { useState } from "preact/hooks"
import type { WholeActivityJson } from "../../../common/activity-json.ts"
import { openExport } from "../../api/bundle.ts"
import type { Wallet } from "../../api/directory.ts"
import { hex } from "../../api/encoding.ts"
import { type BundleKey, generateBundleKey } from "../../api/hpke.ts"
import { Fault } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"

export async function exportWallet({ walletId, walletName }: Wallet): Promise<void> {
  const key = await generateBundleKey()
  openChange({
    title: "Export wallet",
    verb: "Export wallet",
    type: "ACTIVITY_TYPE_EXPORT_WALLET",
    intro: (
      <p>The mnemonic is sealed to a key that this browser has just made. Only this page can open it.</p>
    ),
    grave: {
      loses:
        "A person who sees the mnemonic has every account of this wallet for ever, past all policies and votes.",
      name: walletName,
    },
    parameters: () => ({ walletId, targetPublicKey: hex(key.point) }),
    after: (activity) => <Mnemonic activity={activity} walletId={walletId} bundleKey={key} />,
  })
}

function Mnemonic({
  activity,
  walletId,
  bundleKey,
}: {
  activity: WholeActivityJson
  walletId: string
  bundleKey: BundleKey
}) {
  const [shown, setShown] = useState<string | undefined>(undefined)
  const [error, setError] = useState<Error | undefined>(undefined)
  const bundle = activity.result["exportWalletResult"]?.["exportBundle"]
  const reveal = () =>
    openExport(String(bundle), walletId, bundleKey).then(setShown, (caught: unknown) =>
      setError(caught as Error),
    )
  if (error) return <Fault error={error} />
  if (shown === undefined)
    return (
      <div>
        <button type="button" class="button" onClick={() => void reveal()}>
          Show the mnemonic
        </button>
      </div>
    )
  return (
    <pre tabIndex={0} aria-label="Mnemonic">
      {shown}
    </pre>
  )
}
