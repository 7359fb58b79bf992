// Changes of a wallet as a whole.
import type { Wallet } from "../../api/directory.ts"
import { openChange } from "../../ui/change.tsx"
import { textOf } from "../../ui/fields.tsx"
import { go } from "../../ui/route.ts"

export function rename({ walletId, walletName }: Wallet): void {
  openChange({
    title: "Rename wallet",
    verb: "Rename",
    type: "ACTIVITY_TYPE_UPDATE_WALLET",
    fields: [{ name: "walletName", label: "Name", initial: walletName }],
    parameters: (values) => ({ walletId, walletName: textOf(values, "walletName") }),
  })
}

/** A wallet that was never exported has no copy: the activity says that its keys may be lost. */
export function deleteWallet({ walletId, walletName, exported }: Wallet): void {
  openChange({
    title: "Delete wallet",
    verb: "Delete wallet",
    type: "ACTIVITY_TYPE_DELETE_WALLETS",
    grave: {
      loses: exported
        ? "Nobody signs with its accounts here any more. What they hold can be moved with the exported mnemonic alone."
        : "It was never exported: no copy of its mnemonic exists. Whatever its accounts hold is lost for ever.",
      name: walletName,
    },
    parameters: () => ({ walletIds: [walletId], ...(!exported && { deleteWithoutExport: true }) }),
    onDone: ({ status }) => status === "ACTIVITY_STATUS_COMPLETED" && go("/wallets"),
  })
}
