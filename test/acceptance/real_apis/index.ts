// All stand-ins for public registry APIs.
import { frRechercheEntreprises } from './fr_recherche_entreprises.ts';
import { hrSudreg } from './hr_sudreg.ts';
import { nlKvk } from './nl_kvk.ts';
import { noBrreg } from './no_brreg.ts';
import { openalexInstitutions } from './openalex_institutions.ts';
import { opensanctionsYente } from './opensanctions_yente.ts';
import { rorOrganizations } from './ror_organizations.ts';
import type { StandIn } from './server.ts';
import { skRpo } from './sk_rpo.ts';
import { usNpi } from './us_npi.ts';
import { usOpenfdaRegistrations } from './us_openfda_registrations.ts';
import { wikidataItems } from './wikidata_items.ts';

export const STAND_INS: readonly StandIn[] = [
  noBrreg,
  frRechercheEntreprises,
  rorOrganizations,
  openalexInstitutions,
  opensanctionsYente,
  nlKvk,
  usNpi,
  usOpenfdaRegistrations,
  skRpo,
  wikidataItems,
  hrSudreg,
];
