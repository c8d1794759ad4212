/**
 * The words that error messages use, in the registries' languages: English, German, French, Spanish, Italian, Dutch,
 * Norwegian, Danish and Swedish, Portuguese, Polish, Finnish. Each list has one line per language. An entry is the
 * start of a word, without diacritics (see `foldCharacters`). In a phrase, `_` joins the starts of several words.
 */

/** The message states that a parameter is required. */
export const REQUIRED = beginnings(`
  required mandatory missing must_be_given must_be_provided must_be_present must_be_specified must_be_set must_be_supplied must_not_be_empty must_not_be_blank must_not_be_null cannot_be_empty can't_be_blank cannot_be_blank should_not_be_empty should_not_be_null may_not_be_null is_not_present not_provided not_specified please_provide please_specify please_enter provide specify supply needs must_have(?!_at_least|_a_min|_min) is_needed necessary is_empty
  erforderlich fehlt fehlend fehlen muss_angegeben muss_gesetzt pflicht notwendig benotigt angeben darf_nicht_leer anzugeben muss_ausgefullt ausfullen
  requis obligatoire manquant manque doit_etre_renseigne doit_etre_fourni doit_etre_indique veuillez necessaire absent renseigner est_vide doit_etre_rempli renseignez indiquez
  obligatori requerid falta faltan debe_indicar debe_especificar debe_proporcionar debe_informar necesari indique especifique es_preciso indique introduzca rellenar
  obbligatori richiest mancante manca deve_essere_specificat deve_essere_indicat necessari specificare indicare
  verplicht vereist ontbreekt ontbreken moet_worden_opgegeven moet_worden_ingevuld opgeven nodig mag_niet_leeg moet_ingevuld vul_in
  pakrevd pakravd pakravet mangler kreves kraves ma_oppgis ma_angis skal_angives skal_oppgis oppgi angi obligatorisk saknas maste_anges kravs behover
  obrigatori faltando e_necessari deve_ser_informad deve_ser_fornecid ausente informe preench indique
  wymagan brak brakuj musi_by obowiazkow nalezy_podac podaj wypelni
  pakollinen pakollis puuttu vaaditaan on_annettava anna`);

/** The message states that the API does not have a parameter. */
export const UNKNOWN = beginnings(`
  unknown unexpected unrecogni not_allowed unsupported not_supported not_a_valid_param not_valid_param additional_propert not_permitted extra_input extra_field extra_param should_not_exist does_not_exist not_accepted no_such extraneous forbidden_param not_recogni undefined_param cannot_be_used not_a_support not_a_known not_a_recogni not_a_permitted not_an_allow not_an_accept not_among not_one_of no_parameter cannot_be_honoured not_honoured not_understood
  unbekannt nicht_erlaubt nicht_zulassig nicht_unterstutzt unzulassig kein_gultiger_param kein_zulassig kein_bekannt kein_unterstutzt gibt_es_nicht existiert_nicht nicht_vorgesehen nicht_bekannt nicht_definiert
  inconnu non_reconnu n'est_pas_reconnu non_autoris n'est_pas_autoris pas_autoris non_pris_en_charge inattendu n'existe_pas n'est_pas_un_param n'est_pas_support n'est_pas_pris_en non_prevu n'est_pas_prevu n'est_pas_connu
  desconocid no_permitid no_reconocid no_esta_permitid no_se_reconoc no_soportad no_admitid no_existe no_es_un_param no_valido_param no_es_compatible no_previst no_esta_previst no_contemplad
  sconosciut non_consentit non_riconosciut non_ammess non_supportat non_e_consentit non_e_ammess non_previst non_e_un_param non_esiste non_e_support non_e_riconosci
  onbekend niet_toegestaan niet_ondersteund niet_herkend geen_geldige_param geen_bekende geen_toegestane bestaat_niet niet_voorzien niet_bekend
  ukjent ukendt okand ikke_tillatt ikke_tilladt inte_tillat ej_tillat stottes_ikke stods_ej ikke_en_gyldig ikke_gyldig_param ikke_en_kjent ikke_et_kendt inte_en_giltig inte_en_kand finnes_ikke findes_ikke finns_inte inte_kann kanner_inte kjenner_ikke kender_ikke ikke_kend
  desconhecid nao_permitid nao_suportad nao_reconhecid nao_e_permitid nao_e_suportad nao_e_um_param nao_existe nao_e_aceit nao_previst nao_e_conhecid
  nieznan niedozwolon nieobslugiwan nie_jest_prawidlow nie_jest_dozwol nie_jest_obslug nie_istnieje nie_nalezy nie_jest_znan
  tuntematon tuntemattom ei_sallit ei_tuet ei_tunnist ei_ole_kelvolli ei_ole_sallit ei_ole_tuet ei_ole_olemassa ei_kuulu ei_tunneta`);

/** A parameter is unknown, or its value is invalid. The message applies only to parameters that it names. */
export const INVALID = beginnings(`
  invalid_param invalid_query_param illegal_param bad_param
  ungultiger_param ungultige_param
  parametre_invalide parametre_non_valide
  parametro_invalid parametro_no_valid
  parametro_non_valid
  ongeldige_param
  ugyldig_param ogiltig_param
  niepoprawny_param nieprawidlowy_param
  virheellinen_param`);

/** The message lists the accepted parameters or values. */
export const ALLOWED = beginnings(`
  allowed valid supported accepted permitted available known_param must_be_one_of one_of input_should_be expected possible did_you_mean use_one_of use_only recognized recognised choose_from choices options usage known
  erlaubt zulassig gultig moglich verfugbar unterstutzt einer_von eine_von eines_von meinten_sie einer_der bekannt vorgesehen wahlen_sie
  autoris valides accept possibles disponibles parmi vouliez-vous voulez-vous attendus reconnus connus choisissez
  permitid valid admitid disponibl posibl uno_de una_de quiso_decir aceptad conocid opciones elija
  consentit validi ammess disponibil uno_tra una_tra uno_dei forse_cercavi accettat
  toegestaan toegestan geldig een_van bedoelde beschikba kies bekende
  tillatt tilladt tillat gyldig giltig en_av et_av ett_av en_af mente_du menade_du kendt kjent kand forstar_endast forstar_kun velg valg
  permitid validos aceit um_de uma_de quis_dizer
  dozwolon dostepn jeden_z jedna_z jedno_z czy_chodzilo prawidlow
  sallit yksi_seuraavista tarkoititko kelvolli`);

/** The list names values, not parameters. */
export const VALUES = beginnings(
  'value code werte wert valeur valor valore waarde verdi vardi varde wartosc arvo enum one_of_the_values',
);

/** The list names parameters, not values. */
export const PARAMETERS = beginnings(
  'param argument field feld champ campo veld felt falt pole kentt query_string querystring',
);

/** The query is too short, or the message states a min query length. */
export const MIN_LENGTH = beginnings(`
  at_least minimum min fewer_than shorter_than less_than longer_than_or_equal too_short too_small or_more or_longer greater_than_or_equal
  mindestens wenigstens zu_kurz minimal weniger_als mindestlange
  au_moins au_minimum trop_court moins_de minimale
  al_menos como_minimo minimo demasiado_cort menos_de
  almeno minim troppo_cort meno_di
  minstens ten_minste tenminste te_kort minder_dan minimaal
  minst for_kort minimum mindst farre_enn farre_an atminstone
  pelo_menos no_minimo muito_curt menos_de
  co_najmniej przynajmniej zbyt_krotk za_krotk minimaln
  vahintaan liian_lyhyt`);

/** The unit of a length. */
export const CHARACTERS = beginnings(
  'char letter symbol zeichen buchstabe caracter lettre letra caratter letter teken tegn tecken bokstav znak liter merkki merkk long length sign',
);

/** The number in the message is a maximum. */
export const MAXIMUM = beginnings(`
  at_most maximum max less_than_or_equal lower_than_or_equal up_to not_exceed no_more_than not_be_greater_than must_not_be_larger too_large too_big between
  hochstens maximal nicht_grosser zwischen bis_zu nicht_mehr_als
  au_plus maximale ne_doit_pas_depasser entre au_maximum inferieur_ou_egal
  como_maximo maximo no_puede_superar a_lo_sumo no_debe_ser_mayor no_puede_ser_mayor
  al_massimo massimo non_superiore tra
  hoogstens maximaal niet_groter ten_hoogste tussen lager_of_gelijk niet_hoger
  hoyst maksimal maks hogst mellom mellem mellan hojst upp_till opp_til op_til ikke_overstige
  no_maximo nao_pode_exceder nao_pode_ser_superior
  co_najwyzej maksymaln nie_wiecej nie_moze_przekracza nie_moze_byc_wieksz
  enintaan korkeintaan`);

/** The query has too many matches. */
export const TOO_BROAD = beginnings(`
  too_many too_broad too_large_result too_general narrow refine more_specific be_specific
  zu_viele zu_allgemein einschrank eingrenz
  trop_de trop_large preciser affiner
  demasiad_resultad demasiados_resultados refine acote
  troppi_risultati restring
  te_veel_resultaten verfijn
  for_mange_treff for_manga for_mange avgrens avgrans
  muitos_resultados
  zbyt_wiele zawez
  liikaa_tuloksia rajaa`);

/** Converts a text to lower case without diacritics. Every character keeps its position. */
export function foldCharacters(text: string): string {
  return text
    .split('')
    .map(
      (character) =>
        LETTERS[character.toLowerCase()] ?? character.toLowerCase().normalize('NFD')[0] ?? character,
    )
    .join('');
}

const LETTERS: Readonly<Record<string, string>> = {
  ...{ ø: 'o', æ: 'a', ł: 'l', ß: 's', đ: 'd', ı: 'i', œ: 'o', '’': "'", '‘': "'", _: ' ' },
};

function beginnings(lists: string): RegExp {
  const phrases = new Set(lists.trim().split(/\s+/));
  const patterns = [...phrases].map((phrase) => phrase.split('_').join('\\w*[ \\n]+'));
  return new RegExp(`(?<![\\w'])(?:${patterns.sort((a, b) => b.length - a.length).join('|')})`);
}
