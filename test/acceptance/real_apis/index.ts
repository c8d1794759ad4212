// All stand-ins for public registry APIs.
import { auAbn } from './au_abn.ts';
import { frRechercheEntreprises } from './fr_recherche_entreprises.ts';
import { gbCharityCommission } from './gb_charity_commission.ts';
import { gbCompaniesHouse } from './gb_companies_house.ts';
import { gleifLeiRecords } from './gleif_lei_records.ts';
import { hrSudreg } from './hr_sudreg.ts';
import { ieCro } from './ie_cro.ts';
import { jpGbizinfo } from './jp_gbizinfo.ts';
import { krFscCorp } from './kr_fsc_corp.ts';
import { ltSpinta } from './lt_spinta.ts';
import { nlKvk } from './nl_kvk.ts';
import { noBrreg } from './no_brreg.ts';
import { openalexInstitutions } from './openalex_institutions.ts';
import { opencorporatesCompanies } from './opencorporates_companies.ts';
import { opensanctionsYente } from './opensanctions_yente.ts';
import { peppolDirectory } from './peppol_directory.ts';
import { rorOrganizations } from './ror_organizations.ts';
import type { StandIn } from './server.ts';
import { skRpo } from './sk_rpo.ts';
import { twGcis } from './tw_gcis.ts';
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
  gbCompaniesHouse,
  gleifLeiRecords,
  peppolDirectory,
  twGcis,
  jpGbizinfo,
  krFscCorp,
  opencorporatesCompanies,
  ieCro,
  auAbn,
  gbCharityCommission,
  ltSpinta,
];
