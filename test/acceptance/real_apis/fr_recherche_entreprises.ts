// France, API Recherche d'entreprises (Annuaire des Entreprises).
// Facts: source of annuaire-entreprises-data-gouv-fr/search-api: app/controller/search_params_model.py (checks and their
// texts), field_validation.py (limits), app/models/response_builder.py (envelope, total at most 10,000), public.py.
// Hard: pages of at most 25; a query has three characters or is refused, no query is refused; the record is a search for
// the number, so it is in a list of one; the total stops at 10,000; unknown parameters are ignored; errors are French.
// Approximated: matching (every word of the query is a word of the name), order, most fields of a unit.
import { FRENCH } from './companies.ts';
import { digits, hasWords, type Reply, standIn, whole } from './server.ts';

export const frRechercheEntreprises = standIn({
  name: 'fr_recherche_entreprises',
  locale: FRENCH,
  rows: 600,
  cap: 10_000,
  hints: { paths: { search: '/search', entity: '/search?q={id}' } },
  record(company) {
    const id = digits(company.index, 9, 3);
    const name = company.name.toLocaleUpperCase('fr');
    const body = {
      siren: id,
      nom_complet: name,
      nom_raison_sociale: name,
      sigle: null,
      nombre_etablissements: 1 + (company.index % 4),
      nombre_etablissements_ouverts: 1,
      siege: {
        siret: `${id}00017`,
        activite_principale: '68.20B',
        commune: '75056',
        libelle_commune: company.town.toUpperCase(),
        date_creation: company.date,
        liste_enseignes: company.index % 7 === 0 ? [`${company.trade.toUpperCase()} DU CENTRE`] : null,
      },
      activite_principale: '68.20B',
      categorie_entreprise: 'PME',
      date_creation: company.date,
      dirigeants: [
        { nom: 'MARTIN', prenoms: 'CLAUDE', qualite: 'Gérant', type_dirigeant: 'personne physique' },
      ],
      etat_administratif: company.isActive ? 'A' : 'C',
      nature_juridique: company.form === 'SCI' ? '6540' : '5499',
      matching_etablissements: [],
      complements: { est_association: false, est_ess: false, identifiant_association: null },
    };
    return { id, name, body };
  },
  notFound: { status: 404, body: { detail: 'Not Found' } },
  reply({ path, params, rows, cap }) {
    if (path !== '/search') return null;
    for (const [name, maximum, usual] of [
      ['page', 1000, 1],
      ['per_page', 25, 10],
    ] as const) {
      const value = whole(params, name, usual);
      if (Number.isNaN(value)) return invalid(`Veuillez indiquer un paramètre \`${name}\` entier.`);
      if (value < 1 || value > maximum) {
        return invalid(
          `Veuillez indiquer un paramètre \`${name}\` entre \`1\` et \`${maximum}\`, par défaut \`${usual}\`.`,
        );
      }
    }
    const page = whole(params, 'page', 1);
    const perPage = whole(params, 'per_page', 10);
    if (page * perPage > cap) {
      return invalid(
        `Le nombre total de résultats est restreint à ${cap}. Le produit \`page * per_page\` ne doit pas excéder ${cap}.`,
      );
    }
    const query = params.get('q');
    const state = params.get('etat_administratif');
    if (query === null && state === null)
      return invalid('Veuillez indiquer au moins un paramètre de recherche.');
    if (query !== null && query.length < 3 && state === null) {
      return invalid(
        '3 caractères minimum pour les termes de la requête (ou utilisez au moins un filtre de recherche).',
      );
    }
    const found = rows
      .filter(({ id, name }) => query === null || query.replaceAll(' ', '') === id || hasWords(query, name))
      .filter(({ body }) => state === null || body.etat_administratif === state);
    const total = Math.min(found.length, cap);
    return {
      body: {
        results: found.slice((page - 1) * perPage, page * perPage).map(({ body }) => body),
        total_results: total,
        page,
        per_page: perPage,
        total_pages: Math.ceil(total / perPage),
      },
    };
  },
});

function invalid(erreur: string): Reply {
  return { status: 400, body: { erreur } };
}
