// All stand-ins for public registry APIs, in the order of the README.
import { frRechercheEntreprises } from './fr_recherche_entreprises.ts';
import { noBrreg } from './no_brreg.ts';
import { openalexInstitutions } from './openalex_institutions.ts';
import { opensanctionsYente } from './opensanctions_yente.ts';
import { rorOrganizations } from './ror_organizations.ts';
import type { StandIn } from './server.ts';

export const STAND_INS: readonly StandIn[] = [
  noBrreg,
  frRechercheEntreprises,
  rorOrganizations,
  openalexInstitutions,
  opensanctionsYente,
];
