import type { ListedOrganization } from "../../api/directory.ts"
import { userOf } from "../../api/people.ts"
import { Notice } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { manyOf, textOf } from "../../ui/fields.tsx"
import { count } from "../../words/time.ts"

/** The root quorum, and how many of it may be lost. */
export function Quorum({ organization }: { organization: ListedOrganization }) {
  const { threshold, userIds } = organization.rootQuorum
  const names = userIds.map((id) => userOf(id)?.userName ?? id)
  const spare = userIds.length - threshold
  return (
    <div class="card stack">
      <div class="spread">
        <p>
          <span class="big">
            {threshold} of {userIds.length}
          </span>{" "}
          <span class="quiet">{names.join(", ")}</span>
        </p>
        <button type="button" class="button" onClick={() => changeQuorum(organization)}>
          Change the quorum
        </button>
      </div>
      {spare === 0 ? (
        <Notice tone="warn">
          <p>
            Without {threshold === 1 ? "this user" : "one of these users"} the root quorum can never act
            again: no root user can be spared.
          </p>
        </Notice>
      ) : (
        <p class="quiet">{count(spare, "of them may")} be lost and the quorum still decides.</p>
      )}
    </div>
  )
}

function changeQuorum({ rootQuorum, name }: ListedOrganization): void {
  openChange({
    title: "Change the root quorum",
    verb: "Change the quorum",
    type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
    fields: [
      {
        name: "userIds",
        label: "Users who count",
        kind: "users",
        initial: rootQuorum.userIds,
      },
      {
        name: "threshold",
        label: "How many have to agree",
        kind: "number",
        initial: String(rootQuorum.threshold),
      },
    ],
    grave: {
      loses:
        "The root quorum may do everything, past every policy. A quorum that cannot be met is lost for ever: not even the operator restores it.",
      name,
    },
    parameters: (values) => ({
      userIds: manyOf(values, "userIds"),
      threshold: Number(textOf(values, "threshold")),
    }),
  })
}
