"""The films of examples/films, served by Django REST framework: see README.md.

python3 films.py makes its tables and copies the records of pgstore's; gunicorn films:application
serves them. The variables of libpq, such as PGHOST and PGDATABASE, say where."""

import os

import django
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": os.environ["PGHOST"],
        "USER": os.environ["PGUSER"],
        "NAME": os.environ["PGDATABASE"],
        "CONN_MAX_AGE": None,  # connections are kept
    }},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["rest_framework", "django_filters"],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": [],
        "DEFAULT_FILTER_BACKENDS": [
            "django_filters.rest_framework.DjangoFilterBackend",
            "rest_framework.filters.SearchFilter",
            "rest_framework.filters.OrderingFilter",
        ],
        "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "PAGE_SIZE": 21,
        "UNAUTHENTICATED_USER": None,
    },
    ROOT_URLCONF=__name__,
    SECRET_KEY="films",
    USE_TZ=True,
)
django.setup()

from django.core.validators import MinValueValidator
from django.core.wsgi import get_wsgi_application
from django.db import connection, models, transaction
from django.urls import include, path
from rest_framework import routers, serializers, viewsets


class Director(models.Model):
    name = models.TextField(unique=True)
    born = models.DateField(null=True, blank=True)

    class Meta:
        app_label = "films"


class Film(models.Model):
    GENRES = ["comedy", "crime", "drama", "science fiction", "thriller"]
    name = models.TextField(db_index=True)
    year = models.IntegerField(db_index=True, validators=[MinValueValidator(1888)])
    minutes = models.IntegerField(db_index=True, validators=[MinValueValidator(1)])
    genre = models.TextField(db_index=True, choices=[(g, g) for g in GENRES])
    director = models.ForeignKey(Director, models.PROTECT)

    class Meta:
        app_label = "films"
        ordering = ["id"]


class FilmSerializer(serializers.ModelSerializer):
    class Meta:
        model = Film
        fields = ["id", "name", "year", "minutes", "genre", "director"]


class FilmViewSet(viewsets.ModelViewSet):
    queryset = Film.objects.all()
    serializer_class = FilmSerializer
    filterset_fields = {
        "director": ["exact"], "genre": ["exact", "in"], "year": ["gte", "lte"], "minutes": ["gte", "lte"],
    }
    search_fields = ["name", "director__name"]


router = routers.SimpleRouter()
router.register("films", FilmViewSet)
urlpatterns = [path("api/", include(router.urls))]
application = get_wsgi_application()

if __name__ == "__main__":
    with transaction.atomic(), connection.schema_editor() as editor, connection.cursor() as cursor:
        for model, records in (
            (Director, "SELECT id, name, born::date FROM directors"),
            (Film, "SELECT id, name, year, minutes, genre, director FROM films"),
        ):
            editor.create_model(model)
            table = model._meta.db_table
            cursor.execute(f"INSERT INTO {table} {records}")
            cursor.execute(f"SELECT setval('{table}_id_seq', (SELECT max(id) FROM {table}))")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
