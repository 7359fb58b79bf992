import type { FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Feature, OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"

/** The feature, if it is set. */
export function featureOf(
  document: Pick<OrganizationDocument, "features">,
  name: FeatureName,
): Feature | undefined {
  return document.features.find((feature) => feature.name === name)
}
