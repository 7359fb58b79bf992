import { Turnkey } from "@turnkey/sdk-server"

/** The published client of user root, with the values that a development system wrote. */
export function clientOf(values: NodeJS.Dict<string>) {
  return new Turnkey({
    apiBaseUrl: values["BASE_URL"] ?? "",
    apiPublicKey: values["API_PUBLIC_KEY"] ?? "",
    apiPrivateKey: values["API_PRIVATE_KEY"] ?? "",
    defaultOrganizationId: values["ORGANIZATION_ID"] ?? "",
  }).apiClient()
}
